import { escapeHtml } from '../../platform/http/html.ts';

/** How text stands at some point of a log. */
interface Style {
  color: number | undefined;
  bold: boolean;
  underline: boolean;
}

const plain = (): Style => ({ color: undefined, bold: false, underline: false });

function apply(style: Style, codes: string): void {
  const numbers = codes === '' ? [0] : codes.split(';').map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) Object.assign(style, plain());
    else if (code === 1) style.bold = true;
    else if (code === 22) style.bold = false;
    else if (code === 4) style.underline = true;
    else if (code === 24) style.underline = false;
    else if (code === 39) style.color = undefined;
    else if (code >= 30 && code <= 37) style.color = code - 30;
    else if (code >= 90 && code <= 97) style.color = code - 90;
    // Colours of many bits take more numbers, which are no codes by themselves.
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
  }
}

function classes({ color, bold, underline }: Style): string {
  return [color === undefined ? '' : `c${color}`, bold ? 'bold' : '', underline ? 'underline' : '']
    .filter((name) => name !== '')
    .join(' ');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin with one
const escapeCode = /\u001b(?:\[([0-9;?]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.?)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the end of a marker
const section = /section_(start|end):(\d+):([\w.-]+)(\[[^\]\r]*\])?\r(?:\u001b\[0K)?/;

/** A piece of one line, with what it says of colours; what else it says to a terminal is dropped. */
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

/** What a terminal would have left of a line that goes back to its start. */
function lastWritten(line: string): string {
  const trimmed = line.replace(/\r+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1);
}

/** The log of a job as HTML: colours, and sections that fold. */
export function drawLog(text: string): string {
  const style = plain();
  const open: string[] = [];
  let drawn = '';
  text
    .replace(/\n$/, '')
    .split('\n')
    .forEach((line, at) => {
      let rest = line;
      let title = false;
      for (let found = section.exec(rest); found; found = section.exec(rest)) {
        const [marker, kind, , name = '', options = ''] = found;
        drawn += drawText(rest.slice(0, found.index), style);
        rest = rest.slice(found.index + marker.length);
        if (kind === 'start') {
          open.push(name);
          drawn += `<details${/collapsed=true/.test(options) ? '' : ' open'}><summary>`;
          title = true;
          break;
        }
        const depth = open.lastIndexOf(name);
        if (depth < 0) continue;
        drawn += '</details>'.repeat(open.length - depth);
        open.length = depth;
      }
      const shown = drawText(lastWritten(rest), style);
      if (title) drawn += `${shown === '' ? escapeHtml(open.at(-1) ?? '') : shown}</summary>`;
      else if (shown !== '' || rest === line) drawn += `<span id="L${at + 1}">${shown}</span>\n`;
    });
  return drawn + '</details>'.repeat(open.length);
}
