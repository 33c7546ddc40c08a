export * from "./engine/types";
