/** Text style at a position of a log. Colours are reduced to the eight basic terminal colours. */
export interface Style {
  color: number | undefined;
  ground: number | undefined;
  bold: boolean;
  italic: boolean;
  underline: boolean;
}

export const plain = (): Style => ({
  color: undefined,
  ground: undefined,
  bold: false,
  italic: false,
  underline: false,
});

const brightest = 255;

/** Returns the nearest basic colour for an RGB colour, by which of its components are strong. */
function nearest(parts: readonly number[]): number | undefined {
  if (parts.length < 3 || parts.some((part) => !(part >= 0 && part <= brightest))) return undefined;
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  // Greys map to black or white by lightness.
  if (most - least < 48) return most < 144 ? 0 : 7;
  const half = least + (most - least) / 2;
  return parts.reduce((sum, part, at) => sum + (part >= half ? 1 << at : 0), 0);
}

const steps = [0, 95, 135, 175, 215, 255];

/** Maps one of the 256 terminal colours: 16 named ones, a 6×6×6 cube and greys. */
function indexed(index: number): number | undefined {
  if (!(index >= 0 && index <= brightest)) return undefined;
  if (index < 16) return index % 8;
  if (index >= 232) return nearest(Array(3).fill(8 + (index - 232) * 10));
  const at = index - 16;
  return nearest([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step] ?? 0));
}

/** Effects of single SGR codes. */
const single: Readonly<Record<number, Partial<Style>>> = {
  0: plain(),
  1: { bold: true },
  3: { italic: true },
  4: { underline: true },
  22: { bold: false },
  23: { italic: false },
  24: { underline: false },
  39: { color: undefined },
  49: { ground: undefined },
};

/** Ranges of eight colour codes: foreground and background, normal and bright. */
const ranges = [
  [30, 'color'],
  [90, 'color'],
  [40, 'ground'],
  [100, 'ground'],
] as const;

/** Applies the SGR codes between `ESC[` and `m` to a style. */
export function apply(style: Style, codes: string): void {
  const numbers = codes === '' ? [0] : codes.split(';').map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    const range = ranges.find(([first]) => code >= first && code <= first + 7);
    if (range) style[range[1]] = code - range[0];
    else if (code === 38 || code === 48) {
      // Extended colours consume the following numbers, which are not codes themselves.
      const isIndexed = numbers[at + 1] === 5;
      const found = isIndexed ? indexed(numbers[at + 2] ?? -1) : nearest(numbers.slice(at + 2, at + 5));
      style[code === 38 ? 'color' : 'ground'] = found;
      at += isIndexed ? 2 : 4;
    } else Object.assign(style, single[code]);
  }
}

export function classes({ color, ground, bold, italic, underline }: Style): string {
  return [
    color !== undefined && `c${color}`,
    ground !== undefined && `on${ground}`,
    bold && 'bold',
    italic && 'italic',
    underline && 'underline',
  ]
    .filter((name) => name !== false)
    .join(' ');
}
