import type { Page } from 'playwright-core';

/**
 * The visible texts whose contrast with what is behind them is below 4.5, with that contrast. What is disabled may be faint.
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[], Wanted>(faint, { property: 'color', least: 4.5 });

/**
 * The same for the borders by which one sees what can be pressed and where can be typed: below 3.
 * @see https://www.w3.org/TR/WCAG22/#non-text-contrast
 */
export const faintBorders = (page: Page): Promise<string[]> =>
  page.evaluate<string[], Wanted>(faint, { property: 'borderTopColor', least: 3 });

interface Wanted {
  readonly property: 'color' | 'borderTopColor';
  /** The least contrast. */
  readonly least: number;
}

/** Runs in the page, so it has to hold everything it needs. */
function faint({ property, least }: Wanted): string[] {
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(color).map((channel) =>
      channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    const color = element === null ? 'rgb(255, 255, 255)' : getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? behind(element?.parentElement ?? null) : color;
  };
  const contrast = (element: Element, other: string): number => {
    const lights = [luminance(getComputedStyle(element)[property]), luminance(other)];
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  };
  const hasText = (element: Element): boolean =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
  const isMeant = (element: Element): boolean =>
    property === 'color' ? hasText(element) : element.matches('button:not([role=tab]), input:not([type=checkbox])');
  return [...document.body.querySelectorAll('*')]
    .filter((element) => isMeant(element) && element.checkVisibility() && !element.matches(':disabled'))
    .map((element) => ({
      text: (element.textContent || element.id).trim().slice(0, 40),
      ratio: contrast(element, behind(property === 'color' ? element : element.parentElement)),
    }))
    .filter(({ ratio }) => ratio < least)
    .map(({ text, ratio }) => `${property} of ${text} (${ratio.toFixed(1)})`);
}
