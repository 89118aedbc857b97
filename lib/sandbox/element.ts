/**
 * The element of the page with this id.
 * @throws TypeError when the page has no such element
 */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new TypeError(`The page has no ${kind.name} "${id}".`);
}

/** Makes an element. @example make('td', { className: 'number' }, '20.00') */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Puts children into an element, if that changes anything: what is being read or selected there is left alone. */
export function fill(element: HTMLElement, ...children: readonly HTMLElement[]): void {
  if (element.innerHTML !== children.map(({ outerHTML }) => outerHTML).join('')) element.replaceChildren(...children);
}

/** Says something, unless that is what it says already: screen readers read each change out. */
export function say(id: string, text: string): HTMLElement {
  const element = byId(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
  return element;
}

export const isOn = (id: string): boolean => byId(id, HTMLInputElement).checked;
