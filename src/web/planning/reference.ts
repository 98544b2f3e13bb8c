/** An issue or the like, as somebody has typed or pasted it. */
export interface Reference {
  /** The path of its project or group; none: where it was typed. */
  readonly path?: string;
  readonly iid: number;
}

const sections = { '#': 'issues|work_items', '&': 'epics' } as const;

/**
 * Reads `#5`, `5`, `lamp#5`, `house/lamp#5` and the address of a page; undefined where it is none of these. What is named
 * without a slash is a neighbour of the place where it was typed, as in any text.
 */
export function readReference(
  typed: string,
  sign: keyof typeof sections,
  { here, origin }: { readonly here: string; readonly origin: string },
): Reference | undefined {
  const text = typed.trim();
  const address = new RegExp(`^/(?:groups/)?(.+?)/-/(?:${sections[sign]})/(\\d{1,9})$`);
  const [, page, pageIid] = address.exec(pathIn(text, origin) ?? '') ?? [];
  if (page !== undefined) return { path: page, iid: Number(pageIid) };
  const [, path, iid] = new RegExp(`^(?:([^\\s#&]*)${sign})?(\\d{1,9})$`).exec(text) ?? [];
  if (iid === undefined) return undefined;
  if (path === undefined || path === '') return { iid: Number(iid) };
  const above = here.includes('/') ? `${here.slice(0, here.lastIndexOf('/'))}/` : '';
  return { path: path.includes('/') || sign === '&' ? path : `${above}${path}`, iid: Number(iid) };
}

/** The path of an address of this server, without what comes before and after it. */
function pathIn(text: string, origin: string): string | undefined {
  const base = origin.replace(/\/$/, '');
  return text.startsWith(`${base}/`) ? text.slice(base.length).split(/[?#]/, 1)[0] : undefined;
}
