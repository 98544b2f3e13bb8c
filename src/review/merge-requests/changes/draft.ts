const mark = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** Whether a title marks a merge request as draft. */
export function isDraft(title: string): boolean {
  return mark.test(title);
}

/** Removes all draft prefixes from a title. */
export function withoutDraft(title: string): string {
  let rest = title;
  while (mark.test(rest)) rest = rest.replace(mark, '');
  return rest;
}

export function asDraft(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`;
}
