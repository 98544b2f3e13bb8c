import { inlinesOf, referenceOf } from './document.ts';

/** Whom a text mentions: names of users or groups as they are written, each once. */
export interface Mentions {
  readonly names: readonly string[];
  /** Those of them that a line begins with: the text speaks to them. */
  readonly addressed: readonly string[];
  /** Whether everybody of the project is meant. */
  readonly all: boolean;
}

/** `@user`, `@group/subgroup` and `@all`, outside of code. */
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
      // Several names in a row are all spoken to: `@ann, @bob and @eve please look`.
      else if (!/^(?:[\s,]|\band\b)*$/.test(token.content)) atStart = false;
    }
  }
  const all = names.delete('all');
  addressed.delete('all');
  return { names: [...names], addressed: [...addressed], all };
}
