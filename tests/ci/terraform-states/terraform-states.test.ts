import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { armFault } from '../../../src/platform/faults.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { until } from '../../support/until.ts';
import { RunnerClient } from '../runner-client.ts';

const stateOf = (serial: number, secret = 'hunter2-hunter2') =>
  `${JSON.stringify({ version: 4, terraform_version: '1.9.0', serial, lineage: 'l', outputs: { secret }, resources: [] }, null, 2)}\n`;

/**
 * Client that follows the Terraform HTTP backend protocol: basic authentication, `Content-MD5`, lock details as JSON,
 * and the lock ID appended to the URL of writes.
 */
class Terraform {
  readonly #address: string;
  readonly #authorization: string;
  #lock: { readonly ID: string } | undefined;

  constructor(address: string, username: string, password: string) {
    this.#address = address;
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }

  async #ask(method: string, rest: string, body?: string) {
    const headers = {
      authorization: this.#authorization,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-md5': createHash('md5').update(body).digest('base64'),
      }),
    };
    const answer = await fetch(this.#address + rest, { method, headers, ...(body !== undefined && { body }) });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  }

  get = () => this.#ask('GET', '');
  delete = () => this.#ask('DELETE', '');
  put = (state: string) => this.#ask('POST', this.#lock ? `?ID=${this.#lock.ID}` : '', state);
  version = (serial: number, method = 'GET') => this.#ask(method, `/versions/${serial}`);

  async lock() {
    const info = { ID: randomUUID(), Operation: 'OperationTypeApply', Info: '', Who: 'me@here', Version: '1.9.0' };
    const lock = { ...info, Created: new Date().toISOString(), Path: '' };
    const answer = await this.#ask('POST', '/lock', JSON.stringify(lock));
    if (answer.status === 200) this.#lock = lock;
    return answer;
  }

  async unlock(ID = this.#lock?.ID) {
    const answer = await this.#ask('DELETE', '/lock', JSON.stringify({ ...this.#lock, ID }));
    if (answer.status === 200) this.#lock = undefined;
    return answer;
  }

  force = () => this.#ask('DELETE', '/lock');
}

forEachEngine((engine) => {
  describe('Terraform states', () => {
    let place: ProjectWithRoles;
    let maintainer: Person;
    const terraform = (name: string, who: { readonly token: string } = maintainer, project = place.project.id) =>
      new Terraform(`${place.server.url}/api/v4/projects/${project}/terraform/state/${name}`, 'me', who.token);
    const filesOf = (project: number) => {
      const folder = join(place.server.running.services.config.data, 'storage', 'terraform-states', `${project}`);
      return readdirSync(folder).map((name) => join(folder, name));
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'plan: {script: terraform plan}\n' }, 'root [skip ci]');
      place = await projectWithRoles(engine, 'infrastructure', source);
      maintainer = await addPerson(place.server, 'maintainer');
      await addMember(place.server, place.project, maintainer, 40);
    });

    it('are locked, written, read and unlocked, with every version stored encrypted', async () => {
      const client = terraform('production');
      assert.equal((await client.get()).status, 404);
      const locked = await client.lock();
      assert.equal(locked.status, 200);
      const { ID, Who, Operation, Version } = JSON.parse(locked.text);
      assert.deepEqual([Who, Operation, Version], [maintainer.user.username, 'OperationTypeApply', '1.9.0']);
      assert.equal((await client.get()).status, 204, 'the state only has a lock');
      assert.deepEqual(await client.put(stateOf(1)).then(({ status, text }) => [status, text]), [200, '']);
      assert.equal((await client.put(stateOf(2, 'ünï©ode'))).status, 200);
      assert.equal((await client.unlock()).status, 200);
      const read = await terraform('production', place.developer).get();
      assert.deepEqual([read.status, read.text], [200, stateOf(2, 'ünï©ode')]);
      assert.match(read.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(Number(read.headers.get('content-length')), Buffer.byteLength(read.text));
      assert.equal((await terraform('production', place.developer).version(1)).text, stateOf(1));
      for (const file of filesOf(place.project.id)) assert.doesNotMatch(readFileSync(file, 'utf8'), /hunter2|lineage/);
      assert.notEqual(ID, '');
    });

    it('grant the lock to one client at a time and report the holder to others', async () => {
      const [one, other] = [terraform('staging'), terraform('staging', place.owner)];
      const { ID } = JSON.parse((await one.lock()).text);
      const refused = await other.lock();
      assert.equal(refused.status, 409);
      assert.deepEqual([JSON.parse(refused.text).ID, JSON.parse(refused.text).Who], [ID, maintainer.user.username]);
      assert.equal((await other.put(stateOf(1))).status, 409);
      assert.equal((await other.unlock('another')).status, 409);
      assert.equal((await other.delete()).status, 409);
      assert.equal((await one.put(stateOf(1))).status, 200);
      assert.equal((await other.force()).status, 200);
      assert.equal((await one.put(stateOf(2))).status, 409, 'the lock was removed');
      assert.equal((await other.put(stateOf(2))).status, 200, 'the state is unlocked');
      assert.equal((await other.force()).status, 200, 'unlocking an unlocked state succeeds');
      assert.equal((await terraform('none').unlock('x')).status, 404);
      await inRounds(async (round) => {
        const clients = Array.from({ length: 4 }, () => terraform(`raced-${round}`));
        const answers = await atOnce(4, (index) => clients[index]?.lock() ?? assert.fail());
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      });
    });

    it('accept a repeated upload, but not different content for the same serial', async () => {
      const client = terraform('again');
      await client.put(stateOf(1));
      assert.equal((await client.put(stateOf(1))).status, 200);
      const other = await client.put(stateOf(1, 'another'));
      assert.deepEqual([other.status, JSON.parse(other.text).message], [422, 'Serial has already been taken']);
      assert.equal((await client.get()).text, stateOf(1));
      const answers = await atOnce(4, (index) => client.put(stateOf(2, `secret ${index}`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422]);
    });

    it('reject invalid and oversized states', async () => {
      const client = terraform('odd');
      const says = async (text: string) => {
        const answer = await client.put(text);
        return [answer.status, answer.text && JSON.parse(answer.text).message];
      };
      assert.deepEqual(await says(''), [204, '']);
      assert.deepEqual(await says('{"version":4}'), [422, 'No serial in payload']);
      assert.deepEqual(await says('{"serial":1'), [422, 'invalid JSON']);
      assert.equal((await client.get()).status, 404);
      const set = (bytes: number) =>
        place.server.must('PUT /application/settings', { json: { max_terraform_state_size_bytes: bytes } });
      await set(1000);
      assert.equal((await client.put(stateOf(1, 'x'.repeat(1000)))).status, 413);
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < 4; at++) controller.enqueue(Buffer.alloc(400, 0x20));
          controller.close();
        },
      });
      const url = `${place.server.url}/api/v4${place.base}/terraform/state/odd`;
      const headers = { 'private-token': maintainer.token, 'content-type': 'application/json' };
      // A request without Content-Length.
      const sent = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      assert.equal(sent.status, 413);
      await set(0);
      assert.equal((await client.put(stateOf(1, 'x'.repeat(3_000_000)))).status, 200);
      assert.equal((await client.get()).text.length, stateOf(1, 'x'.repeat(3_000_000)).length);
      assert.equal((await terraform('x'.repeat(256)).put(stateOf(1))).status, 400);
      assert.equal((await terraform('x'.repeat(256)).lock()).status, 400);
      const lock = await place.server.api(`POST ${place.base}/terraform/state/odd/lock`, {
        token: maintainer.token,
        json: { ID: 'x' },
      });
      assert.equal(lock.status, 400);
    });

    it('can be read by Developers and written by Maintainers', async () => {
      await terraform('roles').put(stateOf(1));
      const outsider = await addPerson(place.server, 'outsider');
      const expected: [string, { readonly token: string }, number[]][] = [
        ['wrong token', { token: 'wrong' }, [401, 401, 401, 401, 401, 401, 401]],
        ['outsider', outsider, [404, 404, 404, 404, 404, 404, 404]],
        ['guest', place.guest, [403, 403, 403, 403, 403, 403, 403]],
        ['reporter', place.reporter, [403, 403, 403, 403, 403, 403, 403]],
        ['developer', place.developer, [200, 200, 403, 403, 403, 403, 403]],
      ];
      for (const [name, who, statuses] of expected) {
        const client = terraform('roles', who);
        const answers = [
          await client.get(),
          await client.version(1),
          await client.put(stateOf(2)),
          await client.lock(),
          await client.unlock('x'),
          await client.version(1, 'DELETE'),
          await client.delete(),
        ];
        assert.deepEqual(
          answers.map(({ status }) => status),
          statuses,
          name,
        );
      }
      const address = `${place.base}/terraform/state/roles`;
      assert.equal((await place.server.api(`GET ${address}`, { token: null })).status, 401);
      await place.asOwner(`PUT ${place.base}`, { json: { infrastructure_access_level: 'disabled' } });
      assert.equal((await terraform('roles').get()).status, 403);
      await place.asOwner(`PUT ${place.base}`, { json: { infrastructure_access_level: 'enabled' } });
      const other = await addProject(place.server, maintainer, 'other');
      assert.equal((await terraform('roles', maintainer, other.id).get()).status, 404);
    });

    it('can be accessed with job tokens according to the role of the user', async () => {
      const wanted = { runner_type: 'project_type', project_id: place.project.id };
      const runner = await RunnerClient.create(place.server, wanted, place.owner.token);
      await place.asOwner(`POST ${place.base}/pipeline`, { json: { ref: 'main' } });
      await place.server.running.services.queue.drain();
      const job = await runner.take();
      const url = `${place.server.url}/api/v4${place.base}/terraform/state/by-job`;
      const client = new Terraform(url, 'gitlab-ci-token', job.token);
      assert.equal((await client.lock()).status, 200);
      assert.equal((await client.put(stateOf(1))).status, 200);
      assert.equal((await client.unlock()).status, 200);
      assert.equal((await client.get()).text, stateOf(1));
      await runner.report(job, { state: 'success' });
      assert.equal((await client.get()).status, 401);
    });

    it('leave no orphaned file if the server fails between storing the file and the row', async () => {
      const { services } = place.server.running;
      const before = filesOf(place.project.id).length;
      const disarm = armFault('terraform-states.stored', () => {
        throw new Error('cut');
      });
      const failed = await terraform('cut').put(stateOf(1));
      disarm();
      assert.equal(failed.status, 500);
      // The error could have come from the commit, so the check for a version that uses the file happens later.
      assert.equal(filesOf(place.project.id).length, before + 1);
      await terraform('alive').put(stateOf(1));
      await services.db.write((trx) =>
        trx.updateTable('jobs').set({ run_at: 1 }).where('kind', '=', 'terraform-states.discard').execute(),
      );
      await services.queue.drain();
      assert.equal(filesOf(place.project.id).length, before + 1);
      assert.equal((await terraform('alive').get()).text, stateOf(1));
    });

    it('delete their files along with versions, states and projects', async () => {
      const project = await addProject(place.server, maintainer, 'short');
      const client = terraform('a', maintainer, project.id);
      for (const serial of [1, 2, 3]) await client.put(stateOf(serial));
      await terraform('b', maintainer, project.id).put(stateOf(1));
      const count = (files: number) => until(async () => filesOf(project.id).length === files);
      await count(4);
      assert.equal((await client.version(3, 'DELETE')).status, 204);
      assert.equal((await client.version(3)).status, 404);
      assert.equal((await client.get()).text, stateOf(2));
      await count(3);
      assert.equal((await client.delete()).status, 200);
      assert.equal((await client.get()).status, 404);
      await count(1);
      const { token } = maintainer;
      await place.server.must(`DELETE /projects/${project.id}`, { token });
      const { path_with_namespace: path } = await place.server.must(`GET /projects/${project.id}`, { token });
      await place.server.must(`DELETE /projects/${project.id}?permanently_remove=true&full_path=${path}`, { token });
      await count(0);
    });
  });
});
