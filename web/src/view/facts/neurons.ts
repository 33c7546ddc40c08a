/** A feed-forward layer as a memory: which neurons fired at a position, what each read, and what it adds. */

import type { FeedForward, Run } from "../../engine";
import { remembered } from "../../engine/remembered";
import { cell, rowOf, upTo } from "./cells";
import type { Amount } from "./moved";
import { feedForwardStage, readBy } from "./reading";

/** A lane that a neuron reads: its weight in the key, and the value that stands there. */
export interface KeyPart {
  readonly lane: number;
  readonly weight: number;
  readonly value: number;
}

export interface Fired {
  readonly neuron: number;
  readonly name: string; // its own, or "neuron 3"
  readonly activation: number;
  readonly key: readonly KeyPart[]; // the lanes with a weight that is not 0, those that count most first
  readonly bias: number;
  readonly adds: readonly Amount[]; // each product rounded once; the largest first
  readonly clears: number | null; // the lane that it only cancels
}

const known = new WeakMap<Run, Map<string, readonly Fired[]>>(); // several parts of the page ask for the same

/** Return the neurons that fired at a position, strongest first; those that only cancel their own lane stand last. */
export function firedAt(run: Run, block: number, position: number): readonly Fired[] {
  const ofRun = known.get(run) ?? new Map<string, readonly Fired[]>();
  known.set(run, ofRun);
  const found = ofRun.get(`${block} ${position}`) ?? firedNow(run, block, position);
  ofRun.set(`${block} ${position}`, found);
  return found;
}

function firedNow(run: Run, block: number, position: number): Fired[] {
  const layer = run.model.blocks[block].feed_forward;
  if (layer === null) return [];
  const read = rowOf(readBy(run, feedForwardStage(block)), position);
  const activations = rowOf(run.activations[block], position);
  const cleared = clearedLanes(layer);
  const fired = upTo(activations.length)
    .filter((neuron) => activations[neuron] !== 0)
    .map((neuron) => {
      let [key, adds]: [Fired["key"] | null, Fired["adds"] | null] = [null, null]; // computed when needed
      return {
        neuron,
        name: neuronName(layer, neuron),
        activation: activations[neuron],
        get key() {
          return (key ??= keyOf(layer, neuron, read));
        },
        bias: layer.b_1[neuron],
        get adds() {
          return (adds ??= addsOf(run, layer, neuron, activations[neuron]));
        },
        clears: cleared[neuron],
      };
    });
  const last = (neuron: Fired) => Number(neuron.clears !== null);
  return fired.sort((a, b) => last(a) - last(b) || Math.abs(b.activation) - Math.abs(a.activation));
}

/** Return the name of a neuron: its fact's, or its number. */
export function neuronName(layer: FeedForward, neuron: number): string {
  return layer.names[neuron] || `neuron ${neuron}`;
}

function keyOf(layer: FeedForward, neuron: number, read: Float64Array): KeyPart[] {
  const size = (part: KeyPart) => Math.abs(part.weight * part.value);
  return Array.from(rowOf(layer.W_1, neuron), (weight, lane) => ({ lane, weight, value: read[lane] }))
    .filter(({ weight }) => weight !== 0)
    .sort((a, b) => size(b) - size(a));
}

function addsOf(run: Run, layer: FeedForward, neuron: number, activation: number): Amount[] {
  const A = run.model.arithmetic;
  return upTo(layer.W_2.rows)
    .map((lane) => ({ lane, amount: A.nearest(cell(layer.W_2, lane, neuron) * activation) }))
    .filter(({ amount }) => amount !== 0)
    .sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
}

/** Return for each neuron the lane that it reads and takes away, if it does nothing else; else null. */
export const clearedLanes = remembered((layer: FeedForward): readonly (number | null)[] =>
  upTo(layer.W_1.rows).map((neuron) => clearedLane(layer, neuron)),
);

function clearedLane(layer: FeedForward, neuron: number): number | null {
  if (layer.b_1[neuron] !== 0 || layer.W_3 !== null) return null;
  const reads = upTo(layer.W_1.columns).filter((lane) => cell(layer.W_1, neuron, lane) !== 0);
  const writes = upTo(layer.W_2.rows).filter((lane) => cell(layer.W_2, lane, neuron) !== 0);
  if (reads.length !== 1 || writes.length !== 1 || reads[0] !== writes[0]) return null;
  const opposite = cell(layer.W_1, neuron, reads[0]) === -cell(layer.W_2, writes[0], neuron);
  return opposite ? reads[0] : null;
}
