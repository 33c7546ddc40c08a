import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The page of `weightsmith studio`: the component and its panel, which alone talks to a server.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/weightsmith/studio/page",
    emptyOutDir: false, // the component was built into it just before
    target: "es2022",
    lib: { entry: "src/studio/main.ts", formats: ["es"], fileName: "studio", cssFileName: "studio" },
    rolldownOptions: { output: { minify: true } },
  },
});
