import Type, { type Static } from 'typebox';

/** Metadata of a binary package: its settings, options and requirements. */
export const ConanInfo = Type.Object({
  settings: Type.Record(Type.String(), Type.String()),
  options: Type.Record(Type.String(), Type.String()),
  requires: Type.Record(Type.String(), Type.Null()),
  recipe_hash: Type.Optional(Type.String()),
});
export type ConanInfo = Static<typeof ConanInfo>;

/** Parses a `conaninfo.txt`: an INI-like file, of which only the sections served to clients are kept. */
export function readInfo(text: string): ConanInfo {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[') && line.endsWith(']')) {
      lines = [];
      sections.set(line.slice(1, -1), lines);
    } else if (line !== '') lines.push(line);
  }
  const of = (section: string) => sections.get(section) ?? [];
  const pairs = (section: string) =>
    Object.fromEntries(
      of(section).flatMap((line) => {
        const at = line.indexOf('=');
        return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
      }),
    );
  const [recipe_hash] = of('recipe_hash');
  return {
    settings: pairs('settings'),
    options: pairs('options'),
    requires: Object.fromEntries(of('requires').map((line) => [line, null])),
    ...(recipe_hash !== undefined && { recipe_hash }),
  };
}
