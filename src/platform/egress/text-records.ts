import { promises } from 'node:dns';

const none: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EBADNAME']);

/**
 * The texts that the owner of a name has put into its DNS; undefined where nobody could say. Only servers of the machine, or
 * those that it was told of, are spoken to: whoever chose the name cannot choose whom it is asked of.
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
