const longest = 100;

/** The branch that is to settle an issue: its number and its title, or what gives nothing away. */
export function branchFor({
  iid,
  title,
  confidential,
}: {
  readonly iid: number;
  readonly title: string;
  readonly confidential: number;
}): string {
  if (confidential === 1) return `${iid}-confidential-issue`;
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
  return words === '' ? `${iid}` : `${iid}-${words}`;
}
