import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';

const said = spawnSync('conan', ['--version']).stdout?.toString() ?? '';
const major = Number(/version (\d)/.exec(said)?.[1] ?? 0);
const recipe = `
from conan import ConanFile
from conan.tools.files import save
import os

class Lamp(ConanFile):
    name = "lamp"
    settings = "os", "arch"
    exports_sources = "*.txt"
    def package(self):
        save(self, os.path.join(self.package_folder, "lamp.txt"), "shines")
`;

forEachEngine((engine) => {
  describe('conan', { skip: major === 0 ? 'Conan is not installed' : false }, () => {
    let home: string;
    let remote: string;

    before(async () => {
      const server = await startTestServer(engine);
      const { id } = await server.must('POST /projects', { json: { name: 'libs' } });
      remote = `${server.url}/api/v4/projects/${id}/packages/conan`;
      home = mkdtempSync(join(tmpdir(), 'hearth-conan-'));
      atEnd(() => rmSync(home, { recursive: true, force: true }));
      mkdirSync(join(home, 'lamp'));
      writeFileSync(join(home, 'lamp', 'conanfile.py'), recipe);
      writeFileSync(join(home, 'lamp', 'a.txt'), 'source');
    });

    function conan(...args: string[]) {
      const env = { PATH: process.env.PATH, HOME: home, CONAN_HOME: join(home, 'two'), CONAN_USER_HOME: home };
      const child = spawn('conan', args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function must(...args: string[]): Promise<string> {
      const { code, out } = await conan(...args);
      assert.equal(code, 0, `conan ${args.join(' ')}: ${out}`);
      return out;
    }

    it('2 publishes, finds, installs and removes', { skip: major !== 2 }, async () => {
      await must('profile', 'detect');
      await must('remote', 'add', 'house', remote);
      const wrong = await conan('remote', 'login', 'house', 'me', '--password', 'glpat-nonsense');
      assert.deepEqual([wrong.code === 0, /Wrong user or password/.test(wrong.out)], [false, true], wrong.out);
      await must('remote', 'login', 'house', 'me', '--password', rootToken);
      await must('create', 'lamp', '--version', '1.0');
      await must('create', 'lamp', '--version', '1.1', '--user', 'me', '--channel', 'stable');
      const upload = () => must('upload', 'lamp/*', '--remote', 'house', '--confirm');
      await upload();
      writeFileSync(join(home, 'lamp', 'a.txt'), 'changed');
      await must('create', 'lamp', '--version', '1.0');
      await upload();
      assert.match(await must('search', 'lamp*', '--remote', 'house'), /lamp\/1\.0\n\s+lamp\/1\.1@me\/stable/);
      const listed = JSON.parse(
        /\{[\s\S]*\}/.exec(await must('list', 'lamp/1.0#*:*', '-r', 'house', '-f', 'json'))?.[0] ?? '',
      );
      assert.equal(Object.keys(listed.house['lamp/1.0'].revisions).length, 2);
      await must('remove', '*', '--confirm');
      await must('install', '--requires', 'lamp/[>=1.0]', '--remote', 'house');
      await must('install', '--requires', 'lamp/1.1@me/stable', '--remote', 'house');
      await must('remove', 'lamp/1.0:*', '--remote', 'house', '--confirm');
      await must('remove', 'lamp/1.1@me/stable', '--remote', 'house', '--confirm');
      assert.doesNotMatch(await must('search', 'lamp*', '--remote', 'house'), /me\/stable/);
    });

    for (const revisions of ['0', '1']) {
      it(`1 publishes and installs, with revisions ${revisions}`, { skip: major !== 1 }, async () => {
        const version = `${revisions}.0`;
        const name = `lamp/${version}@me/stable`;
        if (revisions === '0') {
          await must('profile', 'new', 'default', '--detect');
          await must('remote', 'clean');
          await must('remote', 'add', 'house', remote);
        }
        await must('config', 'set', `general.revisions_enabled=${revisions}`);
        await must('user', 'me', '--remote', 'house', '--password', rootToken);
        await must('create', 'lamp', `${version}@me/stable`);
        await must('upload', name, '--all', '--remote', 'house', '--confirm');
        await must('upload', name, '--all', '--remote', 'house', '--confirm', '--force');
        await must('remove', '--force', 'lamp*');
        await must('install', name, '--remote', 'house');
        assert.match(await must('search', name, '--remote', 'house'), /os: Linux/);
        await must('remove', '--force', name, '--remote', 'house');
        assert.notEqual((await conan('search', name, '--remote', 'house')).code, 0);
      });
    }
  });
});
