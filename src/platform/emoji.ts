import { createRequire } from 'node:module';

/** Names by hexadecimal code points joined by dashes; the first of several names is the main one. */
type Shortcodes = Readonly<Record<string, string | readonly string[]>>;

interface Emoji {
  readonly name: string;
  readonly character: string;
}

interface Names {
  readonly byName: ReadonlyMap<string, Emoji>;
  readonly byCharacter: ReadonlyMap<string, Emoji>;
}

const load = createRequire(import.meta.url);
let loaded: Names | undefined;

/** Removes the variation selector, which requests the pictograph and is optional in typed text. */
const bare = (text: string) => text.replaceAll('\u{fe0f}', '');

function characterOf(hexCodes: string): string {
  const points = hexCodes.split('-').map((code) => Number.parseInt(code, 16));
  const text = String.fromCodePoint(...points);
  return points.length === 1 && !/\p{Emoji_Presentation}/u.test(text) ? `${text}\u{fe0f}` : text;
}

/** Loaded on first use: a quarter of a megabyte that most server starts do not need. */
function names(): Names {
  if (loaded !== undefined) return loaded;
  const byName = new Map<string, Emoji>();
  const byCharacter = new Map<string, Emoji>();
  // JoyPixels continues EmojiOne, whose names GitLab stores; GitHub's names are widely known too.
  const sets = ['joypixels', 'github'].map((set) => load(`emojibase-data/en/shortcodes/${set}.json`) as Shortcodes);
  for (const set of sets) {
    for (const [hexCodes, shortcodes] of Object.entries(set)) {
      const all = typeof shortcodes === 'string' ? [shortcodes] : shortcodes;
      const character = characterOf(hexCodes);
      const emoji = byCharacter.get(bare(character)) ?? { name: all[0] ?? '', character };
      byCharacter.set(bare(character), emoji);
      for (const name of all) if (!byName.has(name)) byName.set(name, emoji);
    }
  }
  loaded = { byName, byCharacter };
  return loaded;
}

/** The canonical name of an emoji, such as `thumbsup` for `+1`; undefined for an unknown name. */
export function emojiName(name: string): string | undefined {
  return names().byName.get(name)?.name;
}

/** The character of an emoji, by any of its names. */
export function emojiCharacter(name: string): string | undefined {
  return names().byName.get(name)?.character;
}

/** The name of the emoji that a text consists of. */
export function emojiNameOfCharacter(text: string): string | undefined {
  return names().byCharacter.get(bare(text))?.name;
}

/** The HTML element for an emoji, by any of its names. */
export function emojiElement(name: string): string | undefined {
  const emoji = names().byName.get(name);
  if (emoji === undefined) return undefined;
  return `<gl-emoji title="${emoji.name.replaceAll('_', ' ')}" data-name="${emoji.name}">${emoji.character}</gl-emoji>`;
}
