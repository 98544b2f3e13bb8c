import type { Reference, WrittenReference } from './reference.ts';

/** After these addresses, `+` requests the title and `+s` a summary. */
const titled = /^(.*\/(?:issues|work_items|merge_requests|epics)\/(?:incident\/)?\d{1,10})(\+s?)$/s;

/** Addresses of tabs of an item, which are shown after the reference. */
const parted = /^(.*\/(?:issues\/\d{1,10}(?=\/designs)|merge_requests\/\d{1,10}(?=\/(?:diffs|commits))))\/(\w+)$/s;

const pages: readonly (readonly [pattern: RegExp, read: (path: string, id: string) => Reference])[] = [
  [/^issues\/(?:incident\/)?(\d{1,10})$/, (path, id) => ({ type: 'issue', path, iid: Number(id) })],
  [/^work_items\/(\d{1,10})$/, (path, id) => ({ type: 'issue', path, iid: Number(id) })],
  [/^merge_requests\/(\d{1,10})$/, (path, id) => ({ type: 'merge_request', path, iid: Number(id) })],
  [/^snippets\/(\d{1,10})$/, (path, id) => ({ type: 'snippet', path, iid: Number(id) })],
  [/^milestones\/(\d{1,10})$/, (path, id) => ({ type: 'milestone', path, name: id })],
  [/^commit\/([0-9a-f]{7,40})$/, (path, id) => ({ type: 'commit', path, sha: id })],
];

/** The reference that the URL of a page of this instance stands for, if it is of a referable item. */
export function referenceInAddress(address: string, instanceUrl: string): WrittenReference | undefined {
  const base = instanceUrl.endsWith('/') ? instanceUrl : `${instanceUrl}/`;
  if (!address.startsWith(base) || address.length > 2048) return undefined;
  const [withoutFragment = '', fragment] = address.slice(base.length).split('#', 2);
  const whole = withoutFragment.split('?', 1)[0] ?? '';
  const [, item = whole, sign] = titled.exec(whole) ?? [];
  const [, rest = item, part] = parted.exec(item) ?? [];
  const show = sign && ({ show: sign === '+' ? 'title' : 'summary' } as const);
  const more = { written: address, isAddress: true, ...(part && { part }), ...(fragment && { fragment }), ...show };

  const epic = /^groups\/((?:[\w.-]+\/)*[\w.-]+)\/-\/epics\/(\d{1,10})$/.exec(rest);
  if (epic) return { reference: { type: 'epic', path: epic[1] ?? '', iid: Number(epic[2]) }, ...more };
  const [path = '', page = ''] = rest.split('/-/', 2);
  if (!/^\w[\w.-]*(?:\/\w[\w.-]*)+$/.test(path)) return undefined;
  for (const [pattern, read] of pages) {
    const id = pattern.exec(page)?.[1];
    if (id === undefined) continue;
    const reference = read(path, id);
    return { reference: sign === '+s' && 'iid' in reference ? { ...reference, summary: true } : reference, ...more };
  }
  return undefined;
}
