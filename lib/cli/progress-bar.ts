const WIDTH = 30;
/** Back to the start of the line, and away with what stood there. @see https://en.wikipedia.org/wiki/ANSI_escape_code */
const CLEAR_LINE = '\r\u001b[2K';

/** Where a bar is drawn: it must be a screen, or the log of a pipe would be full of bars. */
type Screen = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean };

/**
 * Draws how far something is, on standard error, if that is a screen.
 *
 * @example
 * const draw = progressBar();
 * draw(0.5, 'id set'); // ███████████████░░░░░░░░░░░░░░░  50 % id set
 * draw(1, ''); // gone
 */
export function progressBar(screen: Screen = process.stderr): (done: number, label: string) => void {
  let drawn = '';
  return (done, label) => {
    if (!screen.isTTY) return;
    const full = Math.floor(done * WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(Math.floor(done * 100)).padStart(3)} % ${label}`;
    const line = done < 1 ? bar : '';
    if (line !== drawn) screen.write(CLEAR_LINE + line);
    drawn = line;
  };
}
