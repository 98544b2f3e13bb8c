import { hash } from 'node:crypto';
import { basic, RegistryClient } from '../../../ci/registry/registry-client.ts';
import { rootToken, type TestServer } from '../../../support/server.ts';

/** A group of interdependent projects on one server, without access to the internet. */
export interface Scene {
  readonly server: TestServer;
  readonly group: number;
  /** The group access token used by Renovate. */
  readonly bot: string;
  readonly host: string;
  /** The npm registry of the project with the packages. */
  readonly registry: string;
  readonly packages: string;
}

async function addProject(server: TestServer, group: number, name: string, files: Record<string, string>, more = {}) {
  const { id } = await server.must('POST /projects', { json: { name, namespace_id: group, ...more } });
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  const json = { branch: 'main', commit_message: 'Add what there is', actions };
  await server.must(`POST /projects/${id}/repository/commits`, { json });
  return `/projects/${id}`;
}

async function publishNpm(server: TestServer, project: string, name: string, version: string): Promise<void> {
  const repository = { type: 'git', url: `git+${server.url}/acme/colors.git` };
  const json = {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, repository } },
    _attachments: { [`${name}-${version}.tgz`]: { data: Buffer.from(`${name} ${version}`).toString('base64') } },
  };
  await server.must(`PUT ${project}/packages/npm/${encodeURIComponent(name)}`, { json });
}

async function publishPython(server: TestServer, project: string, name: string, version: string): Promise<void> {
  const content = `${name} ${version}`;
  const body = new FormData();
  const fields = { name, version, filetype: 'sdist', sha256_digest: hash('sha256', content) };
  for (const [field, value] of Object.entries(fields)) body.set(field, value);
  body.set('content', new Blob([content]), `${name}-${version}.tar.gz`);
  await server.must(`POST ${project}/packages/pypi`, { body });
}

async function publishMaven(server: TestServer, project: string, name: string, versions: readonly string[]) {
  const at = `${project}/packages/maven/com/acme/${name}`;
  const about = `<groupId>com.acme</groupId><artifactId>${name}</artifactId>`;
  for (const version of versions) {
    const body = `<project>${about}<version>${version}</version></project>`;
    await server.must(`PUT ${at}/${version}/${name}-${version}.pom`, { body });
  }
  const list = versions.map((version) => `<version>${version}</version>`).join('');
  const body = `<metadata>${about}<versioning><versions>${list}</versions></versioning></metadata>`;
  await server.must(`PUT ${at}/maven-metadata.xml`, { body });
}

/** Publishes packages of every supported type, releases, tags and an image, each in an old and a new version. */
async function addPackages(server: TestServer, group: number): Promise<string> {
  const colors = await addProject(server, group, 'colors', { 'CHANGELOG.md': '# 2.0.0\n\n- No more red\n' });
  for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
    await publishNpm(server, colors, '@acme/colors', version);
    const json = { tag_name: `v${version}`, ref: 'main', description: `What is new in ${version}` };
    await server.must(`POST ${colors}/releases`, { json });
  }
  for (const version of ['3.0.0', '3.0.1']) await publishNpm(server, colors, '@acme/shapes', version);
  for (const version of ['1.0.0', '1.5.0']) await publishPython(server, colors, 'acme-paint', version);
  await publishMaven(server, colors, 'brush', ['1.0.0', '1.5.0']);

  const templates = await addProject(server, group, 'ci-templates', { 'lint.yml': 'lint:\n  script: [echo lint]\n' });
  for (const tag_name of ['1.0.0', '1.2.0']) {
    await server.must(`POST ${templates}/repository/tags`, { json: { tag_name, ref: 'main' } });
  }
  const tool = await addProject(server, group, 'tool', { 'README.md': 'A tool.\n' });
  const images = new RegistryClient(server.url, basic('root', rootToken));
  for (const version of ['1.0.0', '1.4.0']) await images.pushImage('acme/tool', version);
  for (const version of ['0.1.0', '0.2.0']) {
    await server.must(`PUT ${tool}/packages/generic/blob/${version}/blob.txt`, { body: version });
  }
  return colors;
}

export async function makeScene(server: TestServer): Promise<Scene> {
  await server.must('PUT /application/settings', { json: { npm_package_requests_forwarding: false } });
  const { id: group } = await server.must('POST /groups', { json: { name: 'acme', path: 'acme' } });
  for (const [username, access_level] of [
    ['ann', 40],
    ['ben', 30],
  ] as const) {
    const json = { name: username, username, email: `${username}@example.com`, password: 'correct horse battery' };
    const { id: user_id } = await server.must('POST /users', { json: { ...json, skip_confirmation: true } });
    await server.must(`POST /groups/${group}/members`, { json: { user_id, access_level } });
  }
  const access = { name: 'renovate', scopes: ['api', 'write_repository', 'read_registry'], access_level: 40 };
  const expires_at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const { token: bot } = await server.must(`POST /groups/${group}/access_tokens`, { json: { ...access, expires_at } });
  const preset = { extends: [':dependencyDashboard'], labels: ['dependencies'], assignees: ['ann'] };
  await addProject(server, group, 'renovate-config', { 'default.json': JSON.stringify(preset) });
  const colors = await addPackages(server, group);
  const packages = `${server.url}/api/v4${colors}/packages`;
  return { server, group, bot, host: new URL(server.url).host, registry: `${packages}/npm/`, packages };
}

/** Creates a project that depends on the old versions. */
export function addApplication(
  { server, group, host, registry, packages }: Scene,
  name: string,
  files = {},
  more = {},
) {
  const dependencies = { '@acme/colors': '1.0.0', '@acme/shapes': '3.0.0' };
  return addProject(
    server,
    group,
    name,
    {
      'package.json': `${JSON.stringify({ name, version: '1.0.0', private: true, dependencies }, null, 2)}\n`,
      '.npmrc': `@acme:registry=${registry}\n`,
      'requirements.txt': `--index-url ${packages}/pypi/simple\nacme-paint==1.0.0\n`,
      'build.gradle': `repositories { maven { url "${packages}/maven" } }\ndependencies { implementation "com.acme:brush:1.0.0" }\n`,
      '.gitlab-ci.yml': [
        'include: [{ project: acme/ci-templates, ref: 1.0.0, file: /lint.yml }]',
        `image: ${host}/acme/tool:1.0.0`,
        'test: { script: [echo test] }\n',
      ].join('\n'),
      Dockerfile: [
        'FROM scratch',
        `# renovate: datasource=gitlab-releases depName=acme/colors registryUrl=${server.url}`,
        'ENV COLORS_VERSION=v1.0.0',
        '',
        `# renovate: datasource=gitlab-packages depName=acme/tool:blob registryUrl=${server.url}`,
        'ENV BLOB_VERSION=0.1.0',
        '',
        `# renovate: datasource=git-tags depName=${server.url}/acme/ci-templates.git`,
        'ENV TEMPLATES_VERSION=1.0.0\n',
      ].join('\n'),
      CODEOWNERS: '* @ann\nDockerfile @ben\n',
      ...files,
    },
    more,
  );
}
