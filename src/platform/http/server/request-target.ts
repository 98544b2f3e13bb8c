import type { IncomingMessage } from 'node:http';

/**
 * Normalizes the request target. Scheme and host in it are meant for proxies: no route, rule or link may mistake them
 * for a path.
 */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const host = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (host === undefined) return url;
  const path = url.slice(host.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** Whether two hosts are named: a proxy in front may have trusted the other one. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
