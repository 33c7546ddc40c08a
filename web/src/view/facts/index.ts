/** What can be said about a run: pure functions, which the page shows and the tests compare with the Python package. */

export * from "./activations";
export * from "./attribution";
export * from "./cells";
export * from "./changes";
export * from "./folding";
export * from "./headcolours";
export * from "./headpatterns";
export * from "./lens";
export * from "./logits";
export * from "./matrices";
export * from "./moved";
export * from "./neurons";
export * from "./normsteps";
export * from "./numbers";
export * from "./program";
export * from "./reads";
export * from "./scale";
export * from "./scores";
export * from "./sentence";
export * from "./tokens";
export * from "./writers";
