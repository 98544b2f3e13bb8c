import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A range of addresses with a common prefix. */
export interface Prefix extends Address {
  readonly length: number;
}

const bits = { 4: 32, 6: 128 } as const;

/**
 * Parses an address without brackets; undefined for anything else, including zone ids. IPv4-mapped IPv6
 * (`::ffff:10.0.0.1`) is returned as IPv4, because the kernel connects to the same address.
 */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, value: valueOf4(text) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const address: Address = { family: 6, value: valueOf6(text) };
  return address.value >> 32n === 0xffffn ? embedded4(address) : address;
}

/** Parses `10.0.0.0/8`, or a single address as a prefix of full length. */
export function parsePrefix(text: string): Prefix | undefined {
  const [, base = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(base);
  if (!address) return undefined;
  const all = bits[address.family];
  const prefixLength = length === undefined ? all : Number(length);
  return prefixLength <= all ? { ...address, length: prefixLength } : undefined;
}

/** Whether the address has the prefix. */
export function matchesPrefix(address: Address, prefix: Prefix): boolean {
  if (address.family !== prefix.family) return false;
  const rest = BigInt(bits[prefix.family] - prefix.length);
  return address.value >> rest === prefix.value >> rest;
}

/** The IPv4 address embedded in an IPv6 address, `shift` bits from the right. */
export function embedded4(address: Address, shift = 0): Address {
  return { family: 4, value: (address.value >> BigInt(shift)) & 0xffff_ffffn };
}

function valueOf4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function valueOf6(text: string): bigint {
  // The last 32 bits may be written as IPv4.
  const [, head = '', tail] = /^(.*:)([^:.]*\.[^:]*)$/.exec(text) ?? ['', text];
  const dotted = tail === undefined ? '' : hexOf(valueOf4(tail));
  const [left = '', right] = `${head}${dotted}`.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function hexOf(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
