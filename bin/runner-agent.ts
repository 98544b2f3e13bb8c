import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Agent, type AgentOptions, startAgent } from '../src/runner/agent.ts';

const version = '18.9.0';

/**
 * Starts a runner that stores its own token, readable only by its owner, next to the work trees. If there is none, or
 * the server no longer knows it, `make` creates one.
 */
export async function startOwnAgent(
  options: Omit<AgentOptions, 'token' | 'version'>,
  make: () => Promise<string>,
): Promise<Agent> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const path = join(options.folder, 'token');
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  const started = stored === '' ? undefined : await tryAgent({ ...options, token: stored });
  if (started) return started;
  const token = await make();
  await writeFile(path, token, { mode: 0o600 });
  return startAgent({ ...options, version, token });
}

/** Starts a runner with the given token. */
export function startGivenAgent(options: Omit<AgentOptions, 'version'>): Promise<Agent> {
  return startAgent({ ...options, version });
}

async function tryAgent(options: Omit<AgentOptions, 'version'>): Promise<Agent | undefined> {
  try {
    return await startGivenAgent(options);
  } catch (error) {
    options.log((error as Error).message);
    return undefined;
  }
}
