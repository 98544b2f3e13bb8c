import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { GitRefusal } from './refusal.ts';
import { openRepository } from './service.ts';

// A group lies at most so deep, and a project in it.
const deepest = 21;

/**
 * The page from which the `go` command learns where the module at an import path is kept. The path may go on into the
 * project. To those who can see no project on the way it names the first two parts: no less than it tells anybody.
 */
export async function goImport(services: Services, actor: Actor, path: string): Promise<string> {
  const parts = path.split('/').slice(0, deepest);
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
