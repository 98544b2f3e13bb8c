import { isIP } from 'node:net';

/** A forbidden request; the message is shown to the user. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
}

/** The kinds of URLs that a caller accepts. */
export interface TargetRules {
  /** Schemes without colon; http and https by default. */
  schemes?: readonly string[];
  /** Allowed ports below 1024; all by default. */
  lowPorts?: readonly number[];
}

/** The parsed destination of a URL. */
export interface Target {
  /** The URL as parsed here; pass this on rather than the original text, which another parser may read differently. */
  readonly url: URL;
  /** A lower-case name without trailing dot, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ssh: 22, git: 9418 };

/**
 * Parses a URL given by a user; throws `EgressRefused` if it is malformed, ambiguous or of a kind that is not accepted.
 */
export function readTarget(text: string, { schemes = ['http', 'https'], lowPorts }: TargetRules = {}): Target {
  // This parser drops line breaks and reads a backslash as a slash; others do not, and would see another host.
  if (/[\p{Cc}\s\\]/u.test(text)) throw new EgressRefused('URI is invalid');
  const url = URL.parse(text);
  if (!url) throw new EgressRefused('URI is invalid');
  const scheme = url.protocol.slice(0, -1);
  if (!schemes.includes(scheme)) throw new EgressRefused(`Only allowed schemes are ${schemes.join(', ')}`);
  // ssh and git would read a leading dash as an option.
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

// For schemes other than http the parser leaves `0x7f.1` and `%31` in the host unchanged; parsing it as http normalizes
// every spelling of an address.
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
