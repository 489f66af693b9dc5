"""Hide what no candidate may see: hold-outs, hidden data, keys."""
