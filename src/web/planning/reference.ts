/** A typed or pasted reference. */
export interface Reference {
  /** Path of its project or group; unset for the current one. */
  readonly path?: string;
  readonly iid: number;
}

const sections = { '#': 'issues|work_items', '&': 'epics' } as const;

/**
 * Parses `#5`, `5`, `lamp#5`, `house/lamp#5` or a URL; undefined for anything else. A path without a slash is a sibling
 * of the current project or group, as in Markdown.
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

/** Returns the path of a URL of this server. */
function pathIn(text: string, origin: string): string | undefined {
  const base = origin.replace(/\/$/, '');
  return text.startsWith(`${base}/`) ? text.slice(base.length).split(/[?#]/, 1)[0] : undefined;
}
