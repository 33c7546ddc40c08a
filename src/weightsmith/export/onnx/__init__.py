"""A transformer as an ONNX file, written without PyTorch."""
