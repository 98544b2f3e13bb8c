import { escapeHtml } from '../../platform/http/responses/html.ts';
import { trimTrailing } from '../../platform/trim.ts';
import { apply, classes, plain, type Style } from './ansi-style.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with one
const escapeCode = /\u001b(?:\[([0-9;?]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.?)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
// All repetitions are bounded: a line with a thousand unterminated markers must not be scanned to its end a thousand
// times.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the end of a marker
const section = /section_(start|end):(\d{1,20}):([\w.-]{1,200})(\[[^\]\r]{0,200}\])?\r(?:\u001b\[0K)?/;

/** Renders a part of a line with its colours; other escape sequences are dropped. */
function drawText(text: string, style: Style): string {
  let [rest, drawn] = [text, ''];
  const add = (piece: string) => {
    const clean = escapeHtml(piece.replace(controls, ''));
    if (clean === '') return;
    const names = classes(style);
    drawn += names === '' ? clean : `<span class="${names}">${clean}</span>`;
  };
  for (let found = escapeCode.exec(rest); found; found = escapeCode.exec(rest)) {
    add(rest.slice(0, found.index));
    if (found[2] === 'm') apply(style, found[1] ?? '');
    rest = rest.slice(found.index + found[0].length);
  }
  add(rest);
  return drawn;
}

/** Returns what remains of a line after carriage returns, as a terminal would show it. */
function lastWritten(line: string): string {
  const trimmed = trimTrailing(line, '\r');
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1);
}

/** HTML, and the ID of the element to append it to. */
export interface Piece {
  readonly target: string;
  readonly html: string;
}

/** ID of the log element. */
export const logTarget = 'log';

/**
 * Renders a job log incrementally, with colours and collapsible sections. New output goes into the section that was
 * open at the end of the previous output.
 */
export class LogDrawer {
  readonly #style = plain();
  readonly #open: { readonly name: string; readonly id: string }[] = [];
  #line = 0;
  #sections = 0;
  /** The number of sections that were open before this part, and the HTML rendered so far. */
  #base = 0;
  #drawn = '';
  #pieces: Piece[] = [];
  readonly #isNumbered: boolean;

  /** Line numbers are shown only if the log is rendered from its start. */
  constructor(isNumbered = true) {
    this.#isNumbered = isNumbered;
  }

  /** Renders complete lines. */
  draw(text: string): readonly Piece[] {
    [this.#base, this.#drawn, this.#pieces] = [this.#open.length, '', []];
    if (text !== '') for (const line of text.replace(/\n$/, '').split('\n')) this.#drawLine(line);
    this.#drawn += '</details>'.repeat(this.#open.length - this.#base);
    this.#finish();
    return this.#pieces;
  }

  #drawLine(line: string): void {
    this.#line += 1;
    let rest = line;
    for (let found = section.exec(rest); found; found = section.exec(rest)) {
      const [marker, kind, , name = '', options = ''] = found;
      this.#drawn += drawText(rest.slice(0, found.index), this.#style);
      rest = rest.slice(found.index + marker.length);
      if (kind === 'start') {
        this.#begin(name, rest, /collapsed=true/.test(options));
        return;
      }
      this.#end(name);
    }
    const shown = drawText(lastWritten(rest), this.#style);
    if (shown !== '' || rest === line) {
      this.#drawn += this.#isNumbered
        ? `<span id="L${this.#line}"><a href="#L${this.#line}" aria-label="${this.#line}"></a>${shown}</span>\n`
        : `${shown}\n`;
    }
  }

  #begin(name: string, title: string, collapsed: boolean): void {
    this.#sections += 1;
    const id = `section-${this.#sections}`;
    this.#open.push({ name, id });
    const shown = drawText(lastWritten(title), this.#style) || escapeHtml(name);
    this.#drawn += `<details id="${id}"${collapsed ? '' : ' open'}><summary>${shown}</summary>`;
  }

  #end(name: string): void {
    const depth = this.#open.findLastIndex((one) => one.name === name);
    if (depth < 0) return;
    this.#drawn += '</details>'.repeat(this.#open.length - Math.max(depth, this.#base));
    if (depth < this.#base) {
      this.#finish();
      this.#base = depth;
    }
    this.#open.length = depth;
  }

  #finish(): void {
    const target = this.#open[this.#base - 1]?.id ?? logTarget;
    if (this.#drawn !== '') this.#pieces.push({ target, html: this.#drawn });
    this.#drawn = '';
  }
}

/** Renders a whole log as HTML. */
export function drawLog(text: string): string {
  return new LogDrawer()
    .draw(text)
    .map(({ html }) => html)
    .join('');
}
