import { promises } from 'node:dns';

const none: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EBADNAME']);

/**
 * The TXT records of a name; undefined if the lookup fails. Only the configured name servers or those of the machine
 * are queried, so whoever chose the name cannot choose the server.
 */
export async function textRecords(name: string, servers: readonly string[]): Promise<string[] | undefined> {
  const resolver = new promises.Resolver({ timeout: 3000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    return error instanceof Error && none.has(String((error as NodeJS.ErrnoException).code)) ? [] : undefined;
  }
}
