import type { Page } from 'playwright-core';

/**
 * The visible texts whose contrast with what is behind them is below 4.5, with that contrast. What is disabled may be faint.
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
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
    const contrast = (element: Element): number => {
      const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    };
    const hasText = (element: Element): boolean =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '');
    return [...document.body.querySelectorAll('*')]
      .filter((element) => hasText(element) && element.checkVisibility() && !element.matches(':disabled'))
      .map((element) => ({ text: element.textContent?.trim().slice(0, 40), ratio: contrast(element) }))
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ text, ratio }) => `${text} (${ratio.toFixed(1)})`);
  });
