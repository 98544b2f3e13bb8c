import { isIP } from 'node:net';
import { BadValue } from './setting.ts';

// Validators of text settings; each returns the normalized value.

export function smtp(value: string): string {
  const url = URL.parse(value);
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as smtps://user:password@mail.example.com');
  }
  return value;
}

export function origin(value: string): string {
  const url = URL.parse(value);
  const bare = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (!url || !bare || !/^https?:$/.test(url.protocol)) {
    throw new BadValue('expected an address such as https://forge.example.com, with no path');
  }
  return url.origin;
}

export function postgres(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw new BadValue('expected postgres://user:password@host/database');
  return value;
}

export function password(value: string): string {
  if (value.length < 8) throw new BadValue('expected at least 8 characters');
  return value;
}

export function token(value: string): string {
  if (!/^[\w.-]+$/.test(value)) throw new BadValue('expected letters, digits, dashes, dots and underscores only');
  return value;
}

export function domainName(value: string): string {
  const labels = value.toLowerCase().split('.');
  const fits = labels.length > 1 && labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label));
  if (!fits || isIP(value) !== 0) throw new BadValue('expected a domain such as pages.example.com');
  return value.toLowerCase();
}

export function nameServer(item: string): string {
  const [, host = item, port] =
    /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(item)?.filter((part) => part !== undefined) ?? [];
  if (isIP(host) === 0 || Number(port ?? 53) > 65_535) throw new BadValue('expected addresses such as 10.0.0.1:53');
  return item;
}
