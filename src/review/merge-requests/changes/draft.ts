const mark = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** Whether a title marks its merge request as a draft. */
export function isDraft(title: string): boolean {
  return mark.test(title);
}

/** The title without its marks, however many it has. */
export function withoutDraft(title: string): string {
  let rest = title;
  while (mark.test(rest)) rest = rest.replace(mark, '');
  return rest;
}

export function asDraft(title: string): string {
  return isDraft(title) ? title : `Draft: ${title}`;
}
