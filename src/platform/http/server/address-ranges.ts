import { BlockList, isIP, isIPv6 } from 'node:net';

/** Whether a text is an IP address or a range such as `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Returns a test for whether an IP address is in one of these ranges: `10.0.0.0/8`, `::1`, `192.0.2.7`. */
export function addressRanges(ranges: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (given) => {
    // How a dual-stack server reports IPv4 addresses.
    const ip = given.replace(/^::ffff:(?=\d+\.)/i, '');
    return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
  };
}
