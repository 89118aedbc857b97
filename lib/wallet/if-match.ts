/** An element of the list, which may be empty, up to its comma or the end (RFC 9110, sections 5.6.1 and 8.8.3). */
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;

/**
 * Does an `If-Match` name this state of a resource? `*` alone does, whatever the state; a list of entity tags does when
 * the state's is in it. A weak tag never matches, since it does not name one state.
 *
 * @rule R35
 * @param values every occurrence of the header, as received
 * @returns undefined for what is neither `*` nor a list of entity tags
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 * @example matchesEtag(['"1", "2"'], '"2"') // true
 */
export function matchesEtag(values: readonly string[], etag: string): boolean | undefined {
  const text = values.join(',');
  if (text.trim() === '*') return true;
  const tags: string[] = [];
  const element = new RegExp(ELEMENT);
  for (let end = 0; end < text.length; end = element.lastIndex) {
    const [, tag] = element.exec(text) ?? [undefined, undefined];
    if (element.lastIndex === 0) return undefined;
    if (tag !== undefined) tags.push(tag);
  }
  return tags.includes(etag);
}
