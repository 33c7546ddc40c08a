export * from "./engine";
export * as facts from "./view/facts";
