/** Who the page is at the local cloud: one of the callers that it starts with. Known to everybody, so it exists there only. */
export const LOCAL_CALLER = { name: 'alice', apiKey: 'sk_local_alice', account: 'acct_alice' } as const;

/** What makes a request this caller's. */
export const asCaller = (headers: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  authorization: `Bearer ${LOCAL_CALLER.apiKey}`,
  'content-type': 'application/json',
  ...headers,
});
