"""LSTMs that can be looked into: gates, cell and hidden state after each token."""

from weightsmith.inspect.recurrent.lstm import LSTM, LSTMRun

__all__ = ["LSTM", "LSTMRun"]
