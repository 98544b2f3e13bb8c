import { matchesPrefix, type Prefix, parseAddress, parsePrefix } from './address.ts';

/** A destination that is always allowed. */
interface Entry {
  readonly host?: string;
  readonly prefix?: Prefix;
  readonly port?: number;
}

/** Whether the list allows a host at one of its addresses and a port. */
export type AllowList = (host: string, address: string, port: number) => boolean;

/**
 * Parses entries such as `forge.internal`, `10.1.2.3`, `10.0.0.0/8`, `forge.internal:8080` and `[fd00::1]:80`; throws
 * for others.
 */
export function readAllowList(entries: readonly string[]): AllowList {
  const list = entries.map(readEntry);
  return (host, address, port) => list.some((entry) => covers(entry, host, address, port));
}

function covers(entry: Entry, host: string, address: string, port: number): boolean {
  if (entry.port !== undefined && entry.port !== port) return false;
  if (entry.host !== undefined) return entry.host === host;
  const found = parseAddress(address);
  return found !== undefined && entry.prefix !== undefined && matchesPrefix(found, entry.prefix);
}

function readEntry(text: string): Entry {
  const { place, port } = splitPort(text.trim().toLowerCase());
  const prefix = parsePrefix(place);
  if (prefix) return { prefix, port };
  const host = place.replace(/\.$/, '');
  if (!/^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) || /^[\d.]+$/.test(host) || (port ?? 0) > 65_535) {
    throw new Error(`not a host, an address or a range of addresses: ${text}`);
  }
  return { host, port };
}

function splitPort(text: string): { place: string; port?: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const place = bracketed ?? plain;
  // More than one colon without brackets: an IPv6 address without a port.
  if (place === undefined) return { place: text };
  return port === undefined ? { place } : { place, port: Number(port) };
}
