import type { Gitlab } from '@gitbeaker/rest';
import { GitClient, withCredentials } from '../support/git-client.ts';
import { rootToken, type TestServer } from '../support/server.ts';

export type Api = InstanceType<typeof Gitlab<false>>;

/** Shared context of the parts of a gitbeaker test: client, server and project. */
export interface Scene {
  readonly api: Api;
  readonly server: TestServer;
  readonly project: string;
}

/** Returns the text of a file fetched by gitbeaker as string or blob. */
export async function textOf(content: string | Blob): Promise<string> {
  return typeof content === 'string' ? content : content.text();
}

/** Creates a work tree of stock git with a project as origin. */
export async function workTree(server: TestServer, project: string): Promise<GitClient> {
  const client = new GitClient();
  await client.init();
  await client.git('remote', 'add', 'origin', withCredentials(server.url, project, 'root', rootToken));
  return client;
}
