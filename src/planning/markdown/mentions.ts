import { inlinesOf, referenceOf } from './document.ts';

/** Mentions in a text: names of users or groups as written, without duplicates. */
export interface Mentions {
  readonly names: readonly string[];
  /** Names at the start of a line, which are directly addressed. */
  readonly addressed: readonly string[];
  /** Whether `@all` is mentioned. */
  readonly all: boolean;
}

/** Extracts `@user`, `@group/subgroup` and `@all` outside of code. */
export function extractMentions(text: string): Mentions {
  const names = new Set<string>();
  const addressed = new Set<string>();
  if (!text.includes('@')) return { names: [], addressed: [], all: false };
  for (const inline of inlinesOf(text)) {
    let atStart = true;
    for (const token of inline) {
      const reference = referenceOf(token)?.reference;
      if (reference?.type === 'user') {
        names.add(reference.name);
        if (atStart) addressed.add(reference.name);
      } else if (token.type === 'softbreak' || token.type === 'hardbreak') atStart = true;
      // Several names in a row are all directly addressed: `@ann, @bob and @eve please look`.
      else if (!/^(?:[\s,]|\band\b)*$/.test(token.content)) atStart = false;
    }
  }
  const all = names.delete('all');
  addressed.delete('all');
  return { names: [...names], addressed: [...addressed], all };
}
