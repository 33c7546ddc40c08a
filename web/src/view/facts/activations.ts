/** Where an activation comes from, term by term, and what it adds to the stream. */

import type { ActivationFunction, Run } from "../../engine";
import { elementary } from "../../engine/elementary";
import { functionOf } from "../../engine/layers";
import { cell, rowOf, upTo } from "./cells";
import { type Result, rowSum, type Sum, times } from "./folding";
import { neuronName } from "./neurons";
import { feedForwardStage, readBy } from "./reading";

export interface NeuronPlace {
  readonly block: number;
  readonly neuron: number;
  readonly position: number;
}

/** What a neuron adds to a lane, and what comes of it. */
export interface NeuronAdds {
  readonly lane: number;
  readonly weight: number; // the entry of W_2
  readonly term: Result; // weight ⊗ activation
  readonly layer: number; // what the whole layer adds there: all neurons and b_2, the engine's sum
  readonly before: number;
  readonly after: number; // in the stream, after a norm that follows
}

/** An activation, from what the neuron reads to what it adds. */
export interface Activated extends NeuronPlace {
  readonly name: string;
  readonly sum: Sum; // W_1 · x ⊕ b_1
  readonly function: ActivationFunction;
  readonly active: number; // the function of the sum
  readonly gate: Sum | null; // W_3 · x ⊕ b_3, of gated layers
  readonly computed: Result; // active ⊗ gate: the activation
  readonly activation: number; // in the run; another one than computed where somebody changed it
  readonly adds: readonly NeuronAdds[]; // in the order of the lanes
}

/** Return where the activation of a neuron at a position comes from. */
export function activatedAt(run: Run, { block, neuron, position }: NeuronPlace): Activated {
  const { arithmetic: A } = run.model;
  const layer = run.model.blocks[block].feed_forward!;
  const stage = feedForwardStage(block);
  const read = rowOf(readBy(run, stage), position);
  const sum = rowSum(A, layer.W_1, neuron, read, layer.b_1);
  const name = functionOf(layer);
  const z = sum.result.value;
  const active = name === "relu" ? Math.max(0, z) : elementary(A, name, z);
  const gate = layer.W_3 === null ? null : rowSum(A, layer.W_3, neuron, read, layer.b_3);
  const computed: Result = gate === null ? { value: active, cut: "exact" } : times(A, active, gate.result.value);
  const activation = cell(run.activations[block], position, neuron);
  return {
    ...{ block, neuron, position, name: neuronName(layer, neuron), sum, function: name, active, gate, computed },
    ...{ activation, adds: addsAt(run, { block, neuron, position }, activation) },
  };
}

function addsAt(run: Run, { block, neuron, position }: NeuronPlace, activation: number): NeuronAdds[] {
  const { arithmetic: A } = run.model;
  const { W_2, b_2 } = run.model.blocks[block].feed_forward!;
  const stage = feedForwardStage(block);
  const activations = rowOf(run.activations[block], position);
  return upTo(W_2.rows)
    .filter((lane) => cell(W_2, lane, neuron) !== 0)
    .map((lane) => ({
      lane,
      weight: cell(W_2, lane, neuron),
      term: times(A, cell(W_2, lane, neuron), activation),
      layer: rowSum(A, W_2, lane, activations, b_2).result.value,
      before: cell(run.stream[stage - 1], position, lane),
      after: cell(run.stream[stage], position, lane),
    }));
}
