import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';

/** A job in the pipeline graph. */
export interface GraphJob {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly stage: string;
  readonly stage_index: number;
  readonly status: string;
  /** Null if the job has no `needs`, so that the stage order applies. */
  readonly needs: readonly string[] | null;
}

export interface Node {
  readonly job: GraphJob;
  readonly x: number;
  readonly y: number;
}

interface Edge {
  readonly from: Node;
  readonly to: Node;
}

export interface Graph {
  readonly stages: readonly { readonly name: string; readonly x: number }[];
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

const box = { width: 190, height: 40, gapX: 60, gapY: 14, top: 34 } as const;

/** Lays out jobs in one column per stage, with an edge from each job to those that need it. */
export function layoutGraph(jobs: readonly GraphJob[]): Graph {
  const ordered = [...jobs].sort(
    (a, b) => a.stage_index - b.stage_index || a.name.localeCompare(b.name) || a.id - b.id,
  );
  const columns = [...Map.groupBy(ordered, ({ stage_index }) => stage_index).values()];
  const columnX = (at: number) => at * (box.width + box.gapX);
  const nodes = columns.flatMap((column, x) =>
    column.map((job, y) => ({ job, x: columnX(x), y: box.top + y * (box.height + box.gapY) })),
  );
  const byName = new Map(nodes.map((node) => [node.job.name, node]));
  const edges = nodes.flatMap((to) =>
    (to.job.needs ?? []).flatMap((name) => {
      const from = byName.get(name);
      return from ? [{ from, to }] : [];
    }),
  );
  const tallest = Math.max(0, ...columns.map(({ length }) => length));
  return {
    stages: columns.map((column, at) => ({ name: column[0]?.stage ?? '', x: columnX(at) })),
    nodes,
    edges,
    width: Math.max(0, columnX(columns.length) - box.gapX),
    height: box.top + tallest * (box.height + box.gapY),
  };
}

/**
 * Draws an edge from the right side of a box to the left side of another; within a stage it goes around the left side.
 */
function line({ from, to }: Edge): Html {
  const [y1, y2] = [from.y + box.height / 2, to.y + box.height / 2];
  const path =
    from.x === to.x
      ? `M${from.x} ${y1} C${from.x - 30} ${y1} ${to.x - 30} ${y2} ${to.x} ${y2}`
      : `M${from.x + box.width} ${y1} C${from.x + box.width + 30} ${y1} ${to.x - 30} ${y2} ${to.x} ${y2}`;
  return html`<path class="need" d="${path}"/>`;
}

const fits = 22;
const cut = (text: string) => (text.length > fits ? `${text.slice(0, fits - 1)}…` : text);

function draw({ job, x, y }: Node, home: string): Html {
  const status = job.status.replaceAll('_', ' ');
  const inner = html`<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/><title>${job.name}: ${status}</title><text x="${x + 10}" y="${y + 17}">${cut(job.name)}</text><text class="state" x="${x + 10}" y="${y + 33}">${status}</text>`;
  const classes = `node node-${job.status.replace(/[^a-z_]/g, '')}`;
  return job.kind === 'bridge'
    ? html`<g class="${classes}">${inner}</g>`
    : html`<a class="${classes}" href="${home}/-/jobs/${job.id}">${inner}</a>`;
}

const most = 200;
/** Horizontal space for edges within a stage. */
const margin = 32;

/** Draws the pipeline graph as SVG, with stages from left to right. */
export function graphPicture(jobs: readonly Entity[], home: string): Html | false {
  if (jobs.length === 0 || jobs.length > most) return false;
  const graph = layoutGraph(jobs);
  const size = html`viewBox="${-margin} 0 ${graph.width + 2 * margin} ${graph.height}" width="${graph.width + 2 * margin}" height="${graph.height}"`;
  return html`<div class="scroll graph" tabindex="0" role="group" aria-label="Graph of the jobs"><svg xmlns="http://www.w3.org/2000/svg" ${size}>${graph.stages.map(({ name, x }) => html`<text class="stage" x="${x}" y="18">${cut(name)}</text>`)}${graph.edges.map(line)}${graph.nodes.map((node) => draw(node, home))}</svg></div>`;
}
