/** Package types with their display names. */
export const kinds = [
  ['composer', 'Composer'],
  ['conan', 'Conan'],
  ['debian', 'Debian'],
  ['generic', 'Generic'],
  ['helm', 'Helm'],
  ['maven', 'Maven'],
  ['npm', 'npm'],
  ['nuget', 'NuGet'],
  ['pypi', 'Python'],
  ['rubygems', 'Ruby'],
  ['terraform_module', 'Terraform module'],
] as const;

export const kindName = (kind: string): string => kinds.find(([value]) => value === kind)?.[1] ?? kind;

interface Installed {
  readonly package_type: string;
  readonly name: string;
  readonly version: string | null;
}

/** URLs of package registries. */
interface Places {
  readonly registry: string;
  /** URL of the group's registry, if the project is in a group. */
  readonly groupRegistry?: string | undefined;
  /** First segment of the project's path. */
  readonly top: string;
}

/** Returns the shell commands that install a package. */
export function installLines(
  { package_type, name, version }: Installed,
  { registry, groupRegistry, top }: Places,
  file?: string,
): string[] {
  switch (package_type) {
    case 'composer':
      if (groupRegistry === undefined) return [];
      return [
        `composer config repositories.hearth composer ${groupRegistry}/composer/packages.json`,
        `composer require "${name}:${version}"`,
      ];
    case 'npm': {
      const scope = /^(@[^/]+)\//.exec(name)?.[1];
      const setting = scope === undefined ? 'registry' : `${scope}:registry`;
      return [`npm config set --location=project ${setting} ${registry}/npm/`, `npm install ${name}@${version}`];
    }
    case 'nuget':
      return [
        `dotnet nuget add source ${registry}/nuget/index.json --name hearth --username me --password "$TOKEN" --store-password-in-clear-text`,
        `dotnet add package ${name} --version ${version} --source hearth`,
      ];
    case 'maven': {
      const [, group = '', artifact = ''] = /^(.*)\/([^/]+)$/.exec(name) ?? [];
      const of = `<groupId>${group.replaceAll('/', '.')}</groupId><artifactId>${artifact}</artifactId>`;
      return [
        `<repository><id>hearth</id><url>${registry}/maven</url></repository>`,
        `<dependency>${of}<version>${version}</version></dependency>`,
      ];
    }
    case 'pypi':
      // The token is in the URL because pip does not send custom headers.
      return [
        `export PIP_INDEX_URL="${registry.replace('://', '://__token__:$TOKEN@')}/pypi/simple"`,
        `pip install "${name}==${version}"`,
      ];
    case 'helm':
      return [
        `helm repo add --username me --password "$TOKEN" hearth "${registry}/helm/$CHANNEL"`,
        `helm pull hearth/${name} --version ${version}`,
      ];
    case 'conan':
      return [
        `conan remote add hearth ${registry}/conan`,
        'conan remote login hearth me --password "$TOKEN"',
        `conan install --requires ${name}/${version} --remote hearth`,
      ];
    case 'debian': {
      const keyring = '/etc/apt/keyrings/hearth.asc';
      const project = registry.replace(/\/packages$/, '');
      return [
        `curl --header "Private-Token: $TOKEN" ${project}/debian_distributions/$CODENAME/key.asc | sudo tee ${keyring}`,
        `echo "machine ${registry}/debian login me password $TOKEN" | sudo tee /etc/apt/auth.conf.d/hearth.conf`,
        `echo "deb [signed-by=${keyring}] ${registry}/debian $CODENAME main" | sudo tee /etc/apt/sources.list.d/hearth.list`,
        `sudo apt-get update && sudo apt-get install ${name}`,
      ];
    }
    case 'rubygems':
      return [
        `bundle config set ${registry}/rubygems/ "me:$TOKEN"`,
        `bundle add ${name} --version ${version} --source ${registry}/rubygems`,
      ];
    case 'terraform_module': {
      const source = `${new URL(registry).host}/${top}/${name}`;
      return [`module "${name.split('/')[0]}" {`, `  source  = "${source}"`, `  version = "${version}"`, '}'];
    }
    case 'generic':
      if (file === undefined) return [];
      return [
        `curl --header "Private-Token: $TOKEN" --remote-name \\`,
        `  ${registry}/generic/${name}/${version}/${file}`,
      ];
    default:
      return [];
  }
}
