import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Project } from '../../../src/access/tables.ts';
import type { Engine } from '../../../src/platform/database/database.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

/** Creates a signature of the given bytes. */
export type Sign = (payload: Buffer) => Promise<string> | string;

/** A project to which its owner pushes objects with arbitrary signatures. */
export class SignedProject {
  readonly server: TestServer;
  readonly owner: Person;
  readonly source: GitClient;
  readonly project: Project;

  private constructor(server: TestServer, owner: Person, source: GitClient, project: Project) {
    this.server = server;
    this.owner = owner;
    this.source = source;
    this.project = project;
  }

  static async start(engine: Engine, settings: readonly string[] = []): Promise<SignedProject> {
    const server = await startTestServer(engine, settings);
    const owner = await addPerson(server, 'owner');
    const source = new GitClient();
    await source.init();
    await source.commit({ a: 'a\n' });
    return new SignedProject(server, owner, source, await addFilledProject(server, owner, 'signed', source));
  }

  async push(ref: string): Promise<void> {
    const { username } = this.owner.user;
    const url = withCredentials(this.server.url, `${username}/${this.project.path}`, username, this.owner.token);
    await this.source.git('push', '-q', '-f', url, `${ref}:${ref}`);
  }

  /** Pushes a commit with the given signature and committer address. */
  async commit(branch: string, email: string, sign: Sign, seconds = 1_700_000_000): Promise<void> {
    const tree = await this.source.git('rev-parse', 'main^{tree}');
    const who = `Somebody <${email}> ${seconds} +0000`;
    const head = `tree ${tree}\nauthor ${who}\ncommitter ${who}`;
    const body = `\n\non ${branch}\n`;
    const text = (await sign(Buffer.from(head + body))).trim().replaceAll(/\r?\n/g, '\n ');
    await this.#store('commit', `refs/heads/${branch}`, `${head}\ngpgsig ${text}${body}`);
  }

  /** Pushes a tag with the given signature and tagger address. */
  async tag(name: string, email: string, sign: Sign, seconds = 1_700_000_000): Promise<void> {
    const oid = await this.source.git('rev-parse', 'main');
    const payload = `object ${oid}\ntype commit\ntag ${name}\ntagger Somebody <${email}> ${seconds} +0000\n\nmessage\n`;
    await this.#store('tag', `refs/tags/${name}`, payload + (await sign(Buffer.from(payload))));
  }

  async #store(type: string, ref: string, input: string): Promise<void> {
    const oid = execFileSync('git', ['hash-object', '-t', type, '-w', '--stdin'], { cwd: this.source.folder, input });
    await this.source.git('update-ref', ref, oid.toString().trim());
    await this.push(ref);
  }

  /** Returns the signature of a branch tip. */
  async signatureOf(branch: string): Promise<Answer['body']> {
    return this.#read(`commits/${branch}`);
  }

  async signatureOfTag(name: string): Promise<Answer['body']> {
    return this.#read(`tags/${name}`);
  }

  async status(branch: string): Promise<string> {
    return (await this.signatureOf(branch)).verification_status;
  }

  async #read(what: string): Promise<Answer['body']> {
    const answer = await this.server.api(`GET /projects/${this.project.id}/repository/${what}/signature`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }
}
