/** One bar or line, in its colour throughout all charts. */
interface Series {
  readonly name: string;
  /** One value for each group; undefined: none. */
  readonly values: readonly (number | undefined)[];
}

interface Chart {
  readonly title: string;
  /** What the values are. */
  readonly unit: string;
  readonly groups: readonly string[];
  readonly series: readonly Series[];
}

/** Told apart by everyone, in print too; every bar also carries its number. */
const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/^naive/, '#8a8f98'],
  [/middy/, '#c4551f'],
  [/^powertools/, '#e08e0b'],
  [/folds/, '#56a0d3'],
  [/^semel/, '#1f5fa8'],
];

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 56;
const RIGHT = 16;
const TOP = 64;
const BOTTOM = 44;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

const colourOf = (name: string): string => COLOURS.find(([pattern]) => pattern.test(name))?.[1] ?? '#333333';

/** A chart of bars, side by side within each group. @returns an SVG document */
export function barChart(chart: Chart): string {
  const highest = Math.max(...chart.series.flatMap(({ values }) => values.map((value) => value ?? 0)), 1e-9);
  const groupWidth = PLOT_WIDTH / chart.groups.length;
  const barWidth = Math.min(46, (groupWidth * 0.8) / chart.series.length);
  const bars = chart.series.flatMap(({ name, values }, index) =>
    values.map((value, group) => {
      if (value === undefined) return '';
      const offset = (index - chart.series.length / 2) * barWidth;
      const x = LEFT + groupWidth * (group + 0.5) + offset;
      const height = (value / highest) * PLOT_HEIGHT;
      const y = TOP + PLOT_HEIGHT - height;
      const middle = x + barWidth / 2 - 1;
      return (
        `<rect x="${px(x)}" y="${px(y)}" width="${px(barWidth - 2)}" height="${px(height)}" fill="${colourOf(name)}"/>` +
        text(middle, y - 4, numberText(value), 'middle', 11)
      );
    }),
  );
  return svg(chart, [...groupLabels(chart.groups), ...bars]);
}

/** A chart of lines over ever larger groups, with a logarithmic scale of values. @returns an SVG document */
export function lineChart(chart: Chart): string {
  const known = chart.series.flatMap(({ values }) => values.filter((value) => value !== undefined && value > 0));
  const [least, most] = [Math.min(...(known as number[])), Math.max(...(known as number[]))];
  const low = Math.log10(least / 2);
  const scale = PLOT_HEIGHT / (Math.log10(most * 1.3) - low);
  const at = (value: number, group: number): readonly [number, number] => [
    LEFT + (PLOT_WIDTH / chart.groups.length) * (group + 0.5),
    TOP + PLOT_HEIGHT - (Math.log10(value) - low) * scale,
  ];
  const lines = chart.series.map(({ name, values }) => {
    const points = values.flatMap((value, group) => (value === undefined ? [] : [at(value, group)]));
    const path = points.map(([x, y]) => `${px(x)},${px(y)}`).join(' ');
    const dots = points.map(([x, y]) => `<circle cx="${px(x)}" cy="${px(y)}" r="3.5" fill="${colourOf(name)}"/>`);
    return `<polyline points="${path}" fill="none" stroke="${colourOf(name)}" stroke-width="2"/>${dots.join('')}`;
  });
  return svg(chart, [...groupLabels(chart.groups), ...lines, ...pointLabels(chart, at)]);
}

const LABEL_HEIGHT = 13;

/** The numbers right of their points, moved apart where lines meet. */
function pointLabels({ groups, series }: Chart, at: (value: number, group: number) => readonly [number, number]) {
  return groups.flatMap((_, group) => {
    const shown = series.flatMap(({ name, values }) => {
      const value = values[group];
      return value === undefined ? [] : [{ name, value, place: at(value, group) }];
    });
    let lowest = Number.NEGATIVE_INFINITY;
    return shown
      .toSorted((left, right) => left.place[1] - right.place[1])
      .map(({ name, value, place: [x, y] }) => {
        lowest = Math.max(y + 4, lowest + LABEL_HEIGHT);
        return text(x + 8, lowest, numberText(value), 'start', 11, colourOf(name), HALO);
      });
  });
}

const groupLabels = (groups: readonly string[]): readonly string[] =>
  groups.map((group, index) =>
    text(LEFT + (PLOT_WIDTH / groups.length) * (index + 0.5), HEIGHT - BOTTOM + 20, group, 'middle', 12),
  );

function svg({ title, unit, series }: Chart, content: readonly string[]): string {
  let next = LEFT;
  const legend = series.map(({ name }) => {
    const x = next;
    next += 44 + name.length * LETTER_WIDTH;
    return `<rect x="${px(x)}" y="36" width="12" height="12" fill="${colourOf(name)}"/>${text(x + 18, 46, name, 'start', 12)}`;
  });
  const axis = `<line x1="${LEFT}" y1="${TOP + PLOT_HEIGHT}" x2="${WIDTH - RIGHT}" y2="${TOP + PLOT_HEIGHT}" stroke="#333333"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 22, `${title} (${unit})`, 'start', 15),
    ...legend,
    ...content,
    axis,
    '</svg>',
    '',
  ].join('\n');
}

/** On average, in the legend's size. */
const LETTER_WIDTH = 6.6;

/** Keeps a number readable where a line runs behind it. */
const HALO = ' stroke="#ffffff" stroke-width="4" paint-order="stroke"';

const text = (x: number, y: number, content: string, anchor: string, size: number, colour = '#222222', more = '') =>
  `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" font-size="${size}" fill="${colour}"${more}>${escaped(content)}</text>`;

const px = (value: number): string => String(Math.round(value * 10) / 10);

const escaped = (content: string): string => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Three digits say enough. @example numberText(1234.5) // '1,235' */
export const numberText = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
