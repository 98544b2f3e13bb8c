import { packetsIn } from './pkt-line.ts';

/** The report that receive-pack sends to the client. */
export interface PushReport {
  /** Updated refs; undefined when the client requested no report. */
  readonly moved: ReadonlySet<string> | undefined;
  /** Whether the client displays the progress side-band. */
  readonly banded: boolean;
}

/** Parses receive-pack's output after the push was accepted: plain lines, or lines wrapped in side-band 1. */
export function readReport(output: Buffer): PushReport {
  const packets = [...packetsIn(output)];
  const banded = packets.some((packet) => (packet[0] ?? 0) <= 3);
  const lines = banded
    ? [...packetsIn(Buffer.concat(packets.filter(isData).map((packet) => packet.subarray(1))))]
    : packets;
  const texts = lines.map((line) => line.toString('utf8').replace(/\n$/, ''));
  if (!texts.some((text) => text.startsWith('unpack '))) return { moved: undefined, banded };
  return { moved: new Set(texts.filter((text) => text.startsWith('ok ')).map((text) => text.slice(3))), banded };
}

function isData(packet: Buffer): boolean {
  return packet[0] === 1;
}
