import { isIP } from 'node:net';

/** A request that must not go out; the message is for the user. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** What kind of addresses a caller takes. */
export interface TargetRules {
  /** Without colons; http and https unless told. */
  schemes?: readonly string[];
  /** Ports below 1024 that are taken; all unless told. */
  lowPorts?: readonly number[];
}

/** Where a URL leads. */
export interface Target {
  /** As understood here; hand this on, not the text it was read from, which another parser may read differently. */
  readonly url: URL;
  /** A name in lower case without its trailing dot, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ssh: 22, git: 9418 };

/** Reads a URL that a user gave; throws `EgressRefused` for one that is malformed, ambiguous or of another kind. */
export function readTarget(text: string, { schemes = ['http', 'https'], lowPorts }: TargetRules = {}): Target {
  // The parser drops line breaks and takes a backslash for a slash; others do not, and see another host.
  if (/[\p{Cc}\s\\]/u.test(text)) throw new EgressRefused('URI is invalid');
  const url = URL.parse(text);
  if (!url) throw new EgressRefused('URI is invalid');
  const scheme = url.protocol.slice(0, -1);
  if (!schemes.includes(scheme)) throw new EgressRefused(`Only allowed schemes are ${schemes.join(', ')}`);
  // A leading dash would be read as an option by ssh and git.
  if (url.username !== '' && !/^[a-z0-9]/i.test(url.username)) {
    throw new EgressRefused('Username needs to start with an alphanumeric character');
  }
  const host = canonicalHost(url.hostname);
  url.hostname = isIP(host) === 6 ? `[${host}]` : host;
  const port = url.port === '' ? defaultPorts[scheme] : Number(url.port);
  if (!port) throw new EgressRefused('URI is invalid');
  if (lowPorts && port < 1024 && !lowPorts.includes(port)) {
    throw new EgressRefused(`Only allowed ports are ${lowPorts.join(', ')}, and any over 1024`);
  }
  return { url, host, port };
}

// Schemes other than http keep `0x7f.1` and `%31` in the host as they are: reading it as http brings all spellings of an
// address to one.
function canonicalHost(hostname: string): string {
  const host =
    URL.parse(`http://${hostname}/`)
      ?.hostname.replace(/^\[|\]$/g, '')
      .replace(/\.$/, '') ?? '';
  if (isIP(host) === 0 && !/^[a-z0-9][a-z0-9_.-]{0,252}$/.test(host)) {
    throw new EgressRefused('Hostname or IP address invalid');
  }
  return host;
}
