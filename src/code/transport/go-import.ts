import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { GitRefusal } from './refusal.ts';
import { openRepository } from './service.ts';

// Maximum depth of a project path.
const maxDepth = 21;

/**
 * Renders the page from which the `go` command learns the repository of an import path, which may continue below the
 * project. Callers who cannot see a project get the first two segments, so that nothing is revealed.
 */
export async function goImport(services: Services, actor: Actor, path: string): Promise<string> {
  const parts = path.split('/').slice(0, maxDepth);
  const module = (await modulePath(services, actor, parts)) ?? parts.slice(0, 2).join('/');
  const { externalUrl } = services;
  const name = `${externalUrl.replace(/^https?:\/\//, '')}/${module}`;
  const meta = `<meta name="go-import" content="${name} git ${externalUrl}/${module}.git">`;
  return `<html><head>${meta}</head><body>go get ${name}</body></html>`;
}

async function modulePath(services: Services, actor: Actor, parts: readonly string[]): Promise<string | undefined> {
  for (let length = 2; length <= parts.length; length++) {
    const path = parts.slice(0, length).join('/');
    try {
      await openRepository(services, { actor, path, operation: 'pull', protocol: 'http' });
      return path;
    } catch (error) {
      if (!(error instanceof GitRefusal)) throw error;
    }
  }
  return undefined;
}
