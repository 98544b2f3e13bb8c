import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { zipOf } from '../ci/artifacts/zip.ts';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

const isInstalled = spawnSync('dotnet', ['nuget', '--version']).status === 0;

/** A package with content only, which needs no compiler. */
function pack(id: string, version: string, dependency = ''): Promise<Buffer> {
  const about = `<id>${id}</id><version>${version}</version><authors>Ada</authors><description>x</description>`;
  const group = `<group targetFramework=".NETStandard2.0">${dependency}</group>`;
  const space = 'http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd';
  return zipOf({
    [`${id}.nuspec`]: `<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="${space}"><metadata>${about}<dependencies>${group}</dependencies></metadata></package>`,
    '[Content_Types].xml':
      '<?xml version="1.0" encoding="utf-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Default Extension="nuspec" ContentType="application/octet" /><Default Extension="_" ContentType="application/octet" /></Types>',
    'lib/netstandard2.0/_._': '',
  });
}

forEachEngine((engine) => {
  describe('dotnet', { skip: isInstalled ? false : 'dotnet is not installed' }, () => {
    let server: TestServer;
    let project: string;
    let group: string;

    before(async () => {
      server = await startTestServer(engine);
      const { id: groupId } = await server.must('POST /groups', { json: { name: 'house', path: 'house' } });
      const { id } = await server.must('POST /projects', { json: { name: 'lamps', namespace_id: groupId } });
      project = `${server.url}/api/v4/projects/${id}/packages/nuget/index.json`;
      group = `${server.url}/api/v4/groups/${groupId}/-/packages/nuget/index.json`;
    });

    /** Creates a folder with a single package source. */
    function folder(source: string, token = rootToken): string {
      const made = mkdtempSync(join(tmpdir(), 'hearth-dotnet-'));
      atEnd(() => rmSync(made, { recursive: true, force: true }));
      const credentials = `<add key="Username" value="me" /><add key="ClearTextPassword" value="${token}" />`;
      writeFileSync(
        join(made, 'nuget.config'),
        `<configuration><packageSources><clear /><add key="hearth" value="${source}" allowInsecureConnections="true" /></packageSources>` +
          `<packageSourceCredentials><hearth>${credentials}</hearth></packageSourceCredentials></configuration>`,
      );
      return made;
    }

    function dotnet(cwd: string, ...args: string[]) {
      const env = {
        PATH: process.env.PATH,
        HOME: cwd,
        DOTNET_CLI_TELEMETRY_OPTOUT: '1',
        NUGET_PACKAGES: join(cwd, 'got'),
      };
      const child = spawn('dotnet', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }

    async function push(cwd: string, id: string, version: string, dependency?: string) {
      const file = join(cwd, `${id}.${version}.nupkg`);
      writeFileSync(file, await pack(id, version, dependency));
      return dotnet(cwd, 'nuget', 'push', file, '--source', 'hearth', '--timeout', '60');
    }

    /** Restores a project with a version range. Returns the resolved version. */
    async function restore(source: string, range: string) {
      const cwd = folder(source);
      const wanted = `<ItemGroup><PackageReference Include="My.Lamp" Version="${range}" /></ItemGroup>`;
      const settings =
        '<PropertyGroup><TargetFramework>netstandard2.0</TargetFramework><DisableImplicitFrameworkReferences>true</DisableImplicitFrameworkReferences></PropertyGroup>';
      mkdirSync(join(cwd, 'app'));
      writeFileSync(join(cwd, 'app', 'app.csproj'), `<Project Sdk="Microsoft.NET.Sdk">${settings}${wanted}</Project>`);
      const { code, out } = await dotnet(cwd, 'restore', 'app/app.csproj');
      assert.equal(code, 0, out);
      return (path: string) => existsSync(join(cwd, 'got', path));
    }

    it('publishes packages and restores them from project and group', async () => {
      const cwd = folder(project);
      for (const [id, version, dependency] of [
        ['Oil', '1.0.0', ''],
        ['My.Lamp', '1.0.0', ''],
        ['My.Lamp', '1.2.0', '<dependency id="Oil" version="[1.0.0,2.0.0)" />'],
        ['My.Lamp', '2.0.0-rc.1', ''],
      ] as const) {
        const { code, out } = await push(cwd, id, version, dependency);
        assert.equal(code, 0, out);
      }
      for (const source of [project, group]) {
        const has = await restore(source, '1.*');
        assert.deepEqual([has('my.lamp/1.2.0/my.lamp.nuspec'), has('oil/1.0.0/oil.nuspec')], [true, true]);
      }
      assert.ok((await restore(project, '[2.0.0-rc.1]'))('my.lamp/2.0.0-rc.1/my.lamp.nuspec'));
    });

    it('deletes a version and reports errors', async () => {
      const cwd = folder(project);
      const deleted = ['nuget', 'delete', 'My.Lamp', '2.0.0-rc.1', '--source', 'hearth', '--non-interactive'];
      const { code, out } = await dotnet(cwd, ...deleted);
      assert.equal(code, 0, out);
      const wrong = await push(folder(project, 'glpat-nonsense'), 'Other', '1.0.0');
      assert.notEqual(wrong.code, 0);
      assert.match(wrong.out, /401/);
    });
  });
});
