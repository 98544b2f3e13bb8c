import type { Gitlab } from '@gitbeaker/rest';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, type TestServer } from '../support/server.ts';

export type Api = InstanceType<typeof Gitlab<false>>;

/** What the parts of a test of gitbeaker share: a client, the server it talks to, and the project they act on. */
export interface Scene {
  readonly api: Api;
  readonly server: TestServer;
  readonly project: string;
}

/** The text of a file that gitbeaker fetched, which it hands over in one way or another. */
export async function textOf(content: string | Blob): Promise<string> {
  return typeof content === 'string' ? content : content.text();
}

/** A work tree of stock git with a project as its origin. */
export async function workTree(server: TestServer, project: string): Promise<GitClient> {
  const client = new GitClient();
  await client.init();
  await client.git('remote', 'add', 'origin', withCredentials(server.url, project, 'root', rootToken));
  return client;
}
