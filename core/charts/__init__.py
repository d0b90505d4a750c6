"""Results as pictures, in Vega-Lite."""
