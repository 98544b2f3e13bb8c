import { packetsIn } from './pkt-line.ts';

/** What receive-pack tells the client about a push. */
export interface PushReport {
  /** The refs that moved; undefined when the client did not want to know. */
  readonly moved: ReadonlySet<string> | undefined;
  /** The client shows what comes on the side band for progress. */
  readonly banded: boolean;
}

/** Reads what receive-pack said after the push was let pass: bare lines, or lines inside the lines of side band 1. */
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
