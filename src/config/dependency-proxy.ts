import { BadValue, choice, secret, text, type Values } from './setting.ts';

/** Settings of the dependency proxy, through which groups cache images of another registry. */
export const dependencyProxy = {
  dependencyProxy: choice(
    'HEARTH_DEPENDENCY_PROXY',
    'on',
    'Whether groups can cache images of another registry; needs HEARTH_REGISTRY.',
    ['on', 'off'],
  ),
  dependencyProxyUrl: text(
    'HEARTH_DEPENDENCY_PROXY_URL',
    'https://registry-1.docker.io',
    'The upstream registry; a path after the host is prepended to image names.',
    upstream,
  ),
  dependencyProxyUser: text(
    'HEARTH_DEPENDENCY_PROXY_USER',
    undefined,
    'Username there, for groups without their own credentials; anonymous by default.',
  ),
  dependencyProxyPassword: secret('HEARTH_DEPENDENCY_PROXY_PASSWORD', 'Password or token there.'),
};

type DependencyProxy = Readonly<Values<typeof dependencyProxy>>;

/** Returns mistakes in the combination of proxy settings, each with the setting it concerns. */
export function dependencyProxyMistakes(settings: DependencyProxy): [keyof DependencyProxy, string][] {
  const { dependencyProxyUser: user, dependencyProxyPassword: password } = settings;
  if ((user === undefined) === (password === undefined)) return [];
  return [
    user === undefined
      ? ['dependencyProxyPassword', 'needs a username as well']
      : ['dependencyProxyUser', 'needs a password as well'],
  ];
}

function upstream(value: string): string {
  const url = URL.parse(value);
  const named = url?.pathname === '/' || /^(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+\/?$/.test(url?.pathname ?? '');
  const bare = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!url || !named || !bare || !/^https?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as https://mirror.example.com or https://mirror.example.com/docker');
  }
  return url.origin + url.pathname.replace(/\/$/, '');
}
