/**
 * Tabs as the ARIA pattern has them: arrow keys move between them, and only the chosen one is in the tab order.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 */
export function wireTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const choose = (chosen: HTMLElement): void => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isChosen;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
      const next = tabs.at((index + step) % tabs.length);
      if (step === 0 || next === undefined) return;
      choose(next);
      next.focus();
    });
  }
}
