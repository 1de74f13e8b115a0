"""nnhal.tflite by the name that TensorFlow gives it, for scripts that `import nnhal as tf`.

>>> nnhal.lite.Interpreter is nnhal.tflite.Interpreter
True
"""

from .tflite import DelegateError, Interpreter, OpResolverType, SignatureRunner, experimental, load_delegate

__all__ = ["Interpreter", "SignatureRunner", "OpResolverType", "DelegateError", "load_delegate", "experimental"]
