/** Where to go after signing in: an address of this server, whatever was asked for. */
export function insideAddress(wanted: string | null, base: string): string {
  const home = `${base}/`;
  if (!wanted?.startsWith('/') || /[\\\s]/.test(wanted)) return home;
  const here = 'http://inside.invalid';
  const url = URL.canParse(wanted, here) ? new URL(wanted, here) : undefined;
  // A path that begins with two slashes, before or after dots are resolved, names another host.
  if (url?.origin !== here || url.pathname.startsWith('//')) return home;
  return `${url.pathname}${url.search}`;
}
